-- Starts the server in versions of Neovim that have no `vim.lsp.enable`: 0.7 to 0.10.
local M = {}

--- One client for each root in 0.7, which has no `vim.lsp.start` to remember them.
local started = {}

local function attach(config, buffer)
  config.root_dir = require("racelens.root").of(buffer)
  config.workspace_folders = { { uri = vim.uri_from_fname(config.root_dir), name = config.root_dir } }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  local id = started[config.root_dir]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config)
    started[config.root_dir] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

local function start(buffer)
  local client = require("racelens.client")
  if vim.bo[buffer].buftype ~= "" or not client.wants(buffer) then
    return
  end
  local config = client.config()
  if vim.fn.executable(config.cmd[1]) == 1 then
    attach(config, buffer)
  else
    vim.notify_once(config.cmd[1] .. " was not found; :checkhealth racelens tells more.", vim.log.levels.WARN)
  end
end

function M.enable()
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("racelens", { clear = true }),
    pattern = { "c", "cpp" },
    callback = function(event)
      start(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      start(buffer)
    end
  end
end

return M
