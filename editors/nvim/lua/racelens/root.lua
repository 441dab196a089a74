-- The root of a project, by the rule of the command line.
local M = {}

local MARKERS = {
  "racelens.toml",
  "compile_commands.json",
  "build/compile_commands.json",
  "builddir/compile_commands.json",
  ".git",
}

local function is_root(folder)
  for _, marker in ipairs(MARKERS) do
    if vim.loop.fs_stat(folder .. "/" .. marker) then
      return true
    end
  end
  return false
end

--- The nearest folder above a buffer's file that is a root, otherwise the file's own folder.
function M.of(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  local own = file == "" and vim.loop.cwd() or vim.fn.fnamemodify(file, ":p:h")
  local folder = own
  while true do
    if is_root(folder) then
      return folder
    end
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then
      return own
    end
    folder = above
  end
end

return M
