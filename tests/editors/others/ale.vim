" Racelens in Vim, by ALE, on the demo.
"
"   vim -es -u ale.vim, with RACELENS_SERVER, RACELENS_DEMO and RACELENS_RESULT
set nocompatible nomore noswapfile
packadd ale
filetype plugin on

function! RacelensRoot(buffer) abort
    return fnamemodify(bufname(a:buffer), ':p:h')
endfunction

call ale#linter#Define('c', {
\   'name': 'racelens',
\   'lsp': 'stdio',
\   'executable': $RACELENS_SERVER,
\   'command': '%e lsp',
\   'project_root': function('RacelensRoot'),
\})
let g:ale_linters = {'c': ['racelens']}

function! RacelensStory() abort
    execute 'edit' fnameescape($RACELENS_DEMO . '/cache.c')
    setfiletype c
    ALELint
    let l:texts = []
    for l:tenth in range(300)
        sleep 100m
        let l:found = filter(ale#engine#GetLoclist(bufnr('')), {_, item -> item.text =~# 'cache\.lookups'})
        if len(l:found) >= 2
            return 'vim: ok, both ends of a race are shown'
        endif
    endfor
    return 'vim: FAILED, there is no race in ' . string(ale#engine#GetLoclist(bufnr('')))
endfunction

call writefile([RacelensStory()], $RACELENS_RESULT)
qall!
