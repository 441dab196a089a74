-- Explanations of the server, in a window of their own.
local M = {}

local NAME = "racelens://explanation"

local function prepare(buffer)
  vim.bo[buffer].filetype = "markdown"
end

local function arrange(window)
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  vim.wo[window].conceallevel = 2
end

local function open(markdown)
  local lines = vim.split(vim.trim(markdown), "\n", { plain = true })
  local window = require("racelens.side_window").show(NAME, lines, prepare, arrange)
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
end

--- Asks with the arguments of the server's command: a place, or the id of a race.
function M.ask(arguments)
  local client_module = require("racelens.client")
  local client = client_module.current()
  if not client then
    return
  end
  client_module.execute(client, "racelens.explain", arguments, function(markdown)
    if type(markdown) == "string" then
      open(markdown)
    else
      vim.notify("Racelens: there is no access of shared memory at the cursor")
    end
  end)
end

--- `id` is the id of a race, or empty for the access at the cursor.
function M.show(id)
  if id ~= "" then
    M.ask({ id })
    return
  end
  local client = require("racelens.client").current()
  if client then
    local here = vim.lsp.util.make_position_params(0, client.offset_encoding)
    M.ask({ here.textDocument.uri, here.position })
  end
end

return M
