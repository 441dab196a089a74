-- The plugin in a real Neovim, on the demo: each step is what a person does and then sees.
--
--   RACELENS_SERVER=… RACELENS_DEMO=… nvim --headless --clean --cmd "set runtimepath^=editors/nvim" -c "luafile story.lua"
local server = assert(os.getenv("RACELENS_SERVER"), "RACELENS_SERVER is not set")
local demo = assert(os.getenv("RACELENS_DEMO"), "RACELENS_DEMO is not set")
local PATIENCE = 60000

local version = vim.version()
local name = string.format("nvim %d.%d.%d", version.major, version.minor, version.patch)

local function say(text)
  io.stdout:write(name .. ": " .. text .. "\n")
end

local function wait_until(what, question)
  local found
  vim.wait(PATIENCE, function()
    found = question()
    return found
  end, 50)
  return assert(found, "waited in vain until " .. what)
end

local function equal(left, right, what)
  assert(vim.deep_equal(left, right), what .. ": " .. vim.inspect(left) .. " is not " .. vim.inspect(right))
end

local function contains(text, part)
  assert(text:find(part, 1, true), part .. " is not in: " .. text)
end

--- The command line's races, with which the editor is compared.
local function races_on_the_command_line()
  local report = vim.fn.system("cd " .. vim.fn.shellescape(demo) .. " && " .. vim.fn.shellescape(server) .. " check . --format json")
  return vim.fn.json_decode(report).races
end

local function line_of(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(text, 1, true) then
      return number
    end
  end
  error("the demo has no line with " .. text)
end

local function go_to(text, word)
  local line = line_of(text)
  local column = assert(vim.fn.getline(line):find(word, 1, true)) - 1
  vim.api.nvim_win_set_cursor(0, { line, column })
end

local function diagnostics_about(text)
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.message:find(text, 1, true) ~= nil
  end, vim.diagnostic.get(0))
end

--- The window that floats over the text, as a hover does.
local function floating_window()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end

--- What is said, as soon as something is.
local function messages_of(act)
  local said = {}
  local notify = vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  act()
  wait_until("something is said", function()
    return said[1]
  end)
  vim.notify = notify
  return said
end

local function client()
  return require("racelens.client").current()
end

local races
local steps = {}

local function step(title, act)
  table.insert(steps, { title = title, act = act })
end

step("the server starts with a C file", function()
  races = races_on_the_command_line()
  assert(#races > 0, "the demo has no races")
  if vim.lsp.config then
    equal(vim.lsp.config.racelens.cmd, { "racelens", "lsp" }, "the command line without setup")
  end
  require("racelens").setup({ cmd = { server, "lsp" } })
  vim.cmd("edit " .. demo .. "/cache.c")
  vim.bo.filetype = "c"
  wait_until("the server is attached", function()
    local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
    return all[1] and vim.lsp.buf_is_attached(0, all[1].id)
  end)
end)

step("both ends of a race are diagnosed, each with the other", function()
  wait_until("there are diagnostics", function()
    return #diagnostics_about("cache.lookups") >= 2
  end)
  for _, diagnostic in ipairs(diagnostics_about("cache.lookups")) do
    equal(diagnostic.source, "racelens", "the source")
    if diagnostic.user_data then
      assert(#diagnostic.user_data.lsp.relatedInformation > 0, "the other end is missing")
    end
  end
end)

step("the status counts what the command line counts", function()
  wait_until("the races are counted", function()
    return require("racelens").status() == #races .. " races"
  end)
end)

step("a hover tells the locks", function()
  go_to("cache->lookups++", "lookups")
  vim.lsp.buf.hover()
  local window = wait_until("a hover is shown", floating_window)
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  contains(table.concat(lines, "\n"), "stats_lock")
  vim.api.nvim_win_close(window, true)
end)

step("a lens tells the threads of a function", function()
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true)
  else
    vim.lsp.codelens.refresh({ bufnr = 0 })
  end
  go_to("int cache_get", "cache_get")
  wait_until("a lens names the thread", function()
    -- 0.12 resolves the lenses of what is on the screen, when it draws them.
    vim.cmd("redraw!")
    -- 0.12 takes a filter, older versions the number of a buffer.
    local got, lenses = pcall(vim.lsp.codelens.get, { bufnr = 0 })
    if not got then
      lenses = vim.lsp.codelens.get(0)
    end
    for _, lens in ipairs(lenses or {}) do
      local command = lens.command or (lens.lens and lens.lens.command)
      if command and command.title:find("worker", 1, true) then
        return true
      end
    end
  end)
end)

step(":RacelensRaces lists both ends of every race", function()
  vim.cmd("RacelensRaces")
  local items = wait_until("the list is filled", function()
    local list = vim.fn.getqflist()
    return #list > 0 and list
  end)
  equal(vim.fn.getqflist({ title = 0 }).title, "Races", "the title")
  local expected, found = {}, {}
  for _, race in ipairs(races) do
    for _, access in ipairs(race.accesses) do
      table.insert(expected, vim.fn.fnamemodify(access.file, ":t") .. ":" .. access.line .. ":" .. access.column)
    end
  end
  for _, item in ipairs(items) do
    table.insert(found, vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ":t") .. ":" .. item.lnum .. ":" .. item.col)
  end
  equal(found, expected, "the places")
  contains(items[1].text, "in worker")
  equal(vim.bo.buftype, "quickfix", "the window")
  vim.cmd("cfirst")
  equal(vim.api.nvim_win_get_cursor(0)[1], races[1].accesses[1].line, "the first end")
  vim.cmd("cnext")
  equal(vim.api.nvim_win_get_cursor(0)[1], races[1].accesses[2].line, "the other end")
  vim.cmd("cclose")
end)

step(":RacelensExplain explains the access at the cursor, and a race by its id", function()
  vim.cmd("buffer cache.c")
  go_to("return cache->lookups", "lookups")
  for _, command in ipairs({ "RacelensExplain", "RacelensExplain " .. races[1].id }) do
    local before = vim.api.nvim_get_current_win()
    vim.cmd(command)
    wait_until("the explanation is shown", function()
      return vim.api.nvim_buf_get_name(0):find("racelens://explanation", 1, true)
    end)
    equal(vim.bo.filetype, "markdown", "the type of the explanation")
    contains(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"), "lookups")
    vim.api.nvim_feedkeys("q", "xt", false)
    equal(vim.api.nvim_get_current_win(), before, "the window after q")
  end
end)

local closing

step(":RacelensVerify finds an interleaving, and the race is witnessed", function()
  for _, race in ipairs(races) do
    closing = race.location == "cache.closing" and race or closing
  end
  vim.cmd("edit " .. demo .. "/main.c")
  go_to("cache.closing = 1", "closing")
  wait_until("the race is diagnosed", function()
    return #diagnostics_about("cache.closing") >= 2
  end)
  local said = messages_of(function()
    vim.cmd("RacelensVerify")
  end)
  contains(said[1], "Race on cache.closing: An interleaving of ")
  contains(said[1], ":RacelensTrace " .. closing.id)
  local witnessed = wait_until("the diagnostic is an error", function()
    for _, diagnostic in ipairs(diagnostics_about("data race on `cache.closing`")) do
      if diagnostic.severity == vim.diagnostic.severity.ERROR then
        return diagnostic
      end
    end
  end)
  assert(vim.startswith(witnessed.message, "data race"), witnessed.message)
  if witnessed.user_data then
    contains(witnessed.user_data.lsp.relatedInformation[1].message, "1. thread main: ")
  end
end)

step(":RacelensTrace shows its steps, which lead to their lines", function()
  local source = vim.api.nvim_get_current_win()
  vim.cmd("RacelensTrace")
  wait_until("the interleaving is shown", function()
    return vim.api.nvim_buf_get_name(0):find("racelens://interleaving", 1, true)
  end)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local text = table.concat(lines, "\n")
  contains(text, "0: main")
  contains(text, "│ 1: worker")
  -- Behind these words stand the two accesses, in the lines of the race.
  local at_once
  for number, line in ipairs(lines) do
    at_once = line:find("at the same time:", 1, true) and number or at_once
  end
  assert(at_once, text)
  local found, expected = {}, { closing.accesses[1].line, closing.accesses[2].line }
  for _, number in ipairs({ at_once + 1, at_once + 2 }) do
    local line = tonumber(lines[number]:match("main%.c:(%d+)"))
    table.insert(found, line)
    vim.api.nvim_win_set_cursor(0, { number, 0 })
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<CR>", true, false, true), "xt", false)
    equal(vim.fn.expand("%:t"), "main.c", "the file of the step")
    equal(vim.api.nvim_get_current_win(), source, "the window of the source")
    equal(vim.api.nvim_win_get_cursor(0)[1], line, "the line of the step")
    vim.cmd("wincmd p")
  end
  table.sort(found)
  table.sort(expected)
  equal(found, expected, "the lines of the accesses")
  vim.api.nvim_feedkeys("q", "xt", false)
  vim.cmd("RacelensTrace " .. closing.id)
  wait_until("the interleaving is shown by its id", function()
    return vim.api.nvim_buf_get_name(0):find("racelens://interleaving", 1, true)
  end)
  vim.api.nvim_feedkeys("q", "xt", false)
end)

step("what cannot be verified is said", function()
  vim.cmd("buffer cache.c")
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local said = messages_of(function()
    vim.cmd("RacelensVerify")
  end)
  vim.list_extend(said, messages_of(function()
    vim.cmd("RacelensStop")
  end))
  equal(said, { "Racelens: no race was found at this place", "Racelens: nothing is being verified" }, "the messages")
end)

step("a code action takes the lock, and the race is gone", function()
  go_to("return cache->lookups", "cache->lookups")
  local original = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local offered = {}
  -- What a person picks in the menu, picked by its title.
  vim.ui.select = function(items, _, choose)
    for index, item in ipairs(items) do
      local action = item.action or item[2]
      table.insert(offered, action.title)
      if action.title:find("stats_lock", 1, true) and action.edit ~= vim.NIL then
        choose(item, index)
        return
      end
    end
    choose(nil)
  end
  vim.lsp.buf.code_action()
  wait_until("the text is changed", function()
    return not vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), original)
  end)
  wait_until("the race is gone", function()
    return #diagnostics_about("cache.lookups") == 0
  end)
  wait_until("fewer races are counted", function()
    local count = tonumber(require("racelens").status():match("^(%d+) race"))
    return count and count < #races
  end)
  vim.cmd("silent undo")
  wait_until("the undone race is back", function()
    return #diagnostics_about("cache.lookups") >= 2
  end)
end)

step(":RacelensCheckNow checks again", function()
  local heard = {}
  vim.api.nvim_create_autocmd("User", {
    pattern = "RacelensStatus",
    callback = function()
      table.insert(heard, require("racelens.status").last().state)
    end,
  })
  vim.cmd("RacelensCheckNow")
  wait_until("the server tells that it is ready", function()
    return heard[#heard] == "ready"
  end)
end)

step(":checkhealth finds nothing wrong", function()
  vim.cmd("checkhealth racelens")
  local report = wait_until("the report is complete", function()
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    return text:find("the server is running for", 1, true) and text
  end)
  assert(not report:find("ERROR", 1, true), report)
  contains(report, "it can verify races")
  vim.cmd("bwipeout!")
end)

step("the help is found by its tags", function()
  vim.cmd("helptags " .. vim.fn.fnameescape(os.getenv("RACELENS_DOC")))
  for _, tag in ipairs({ "racelens", ":RacelensRaces", ":RacelensExplain", ":RacelensVerify", ":RacelensTrace", ":RacelensStop", ":RacelensCheckNow" }) do
    vim.cmd("help " .. tag)
    contains(vim.api.nvim_buf_get_name(0), "racelens.txt")
    vim.cmd("helpclose")
  end
end)

step("the server ends with the editor's wish", function()
  local running = client()
  if vim.fn.has("nvim-0.11") == 1 then
    running:stop()
  else
    running.stop()
  end
  wait_until("the server has ended", function()
    return vim.lsp.get_client_by_id(running.id) == nil
  end)
end)

for _, current in ipairs(steps) do
  local ok, problem = xpcall(current.act, debug.traceback)
  if not ok then
    say("FAILED, " .. current.title .. "\n" .. problem)
    vim.cmd("cquit 1")
  end
  say("ok, " .. current.title)
end
vim.cmd("qall!")
