-- Racelens in Neovim: finds the data races of C programs while you edit.
local M = {}

--- Starts the server for C files, now and when they are opened.
--- @param options table|nil `cmd`: the server's command line; `settings`: the server's settings
function M.setup(options)
  local client = require("racelens.client")
  client.configure(options or {})
  if vim.lsp.config and vim.lsp.enable then
    vim.lsp.config("racelens", client.config())
    vim.lsp.enable("racelens")
  else
    require("racelens.older_neovim").enable()
  end
end

--- What the server does and found, for a status line: "3 races", "checking", "" without a server.
function M.status()
  return require("racelens.status").text()
end

return M
