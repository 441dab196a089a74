-- The connection with the server: how it is started, found and asked.
local M = {}

local options = { cmd = { "racelens", "lsp" }, settings = {} }

--- The protocol's word for a request that somebody has cancelled.
M.CANCELLED = -32800

-- Neovim takes a header for C++ unless `g:c_syntax_for_h` is set.
local FILETYPES = { "c", "cpp" }

--- Whether a buffer holds C: by its type, or as a header.
function M.wants(buffer)
  local filetype = vim.bo[buffer].filetype
  return filetype == "c" or (filetype == "cpp" and vim.api.nvim_buf_get_name(buffer):match("%.h$") ~= nil)
end

function M.configure(given)
  options = vim.tbl_deep_extend("force", options, given)
end

function M.command_line()
  return options.cmd
end

--- What Neovim can do, and that the plugin shows interleavings by itself.
local function capabilities()
  local known = vim.lsp.protocol.make_client_capabilities()
  known.experimental = vim.tbl_extend("force", known.experimental or {}, { racelens = { interleavings = true } })
  return known
end

--- The configuration for `vim.lsp`, in the form that all versions of Neovim understand.
function M.config()
  return {
    name = "racelens",
    cmd = options.cmd,
    filetypes = FILETYPES,
    root_dir = function(buffer, start)
      if M.wants(buffer) then
        start(require("racelens.root").of(buffer))
      end
    end,
    init_options = options.settings,
    settings = { racelens = options.settings },
    handlers = { ["racelens/status"] = require("racelens.status").receive },
    commands = {
      -- Lenses and actions of the server ask for an explanation, which has to be shown.
      ["racelens.explain"] = function(command)
        require("racelens.explanation").ask(command.arguments)
      end,
      ["racelens.verify"] = function(command)
        require("racelens.interleaving").verify_with(command.arguments)
      end,
      ["racelens.showInterleaving"] = function(command)
        require("racelens.interleaving").show_with(command.arguments)
      end,
    },
    capabilities = capabilities(),
  }
end

--- The client of the current buffer, or any; nil, with a message, if there is none.
function M.current()
  local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  local running = vim.tbl_filter(function(client)
    return client.name == "racelens"
  end, all)
  for _, client in ipairs(running) do
    if vim.lsp.buf_is_attached(0, client.id) then
      return client
    end
  end
  if running[1] then
    return running[1]
  end
  vim.notify("Racelens is not running. Open a C file; :checkhealth racelens tells what is missing.", vim.log.levels.WARN)
  return nil
end

--- Asks the server and hands its answer on. An error is shown, or handed to `failed`. Gives the number of the request.
function M.request(client, method, parameters, answered, failed)
  local function handler(problem, result)
    if not problem then
      answered(result)
    elseif failed then
      failed(problem)
    else
      vim.notify("Racelens: " .. (problem.message or tostring(problem)), vim.log.levels.ERROR)
    end
  end
  local sent, request
  if vim.fn.has("nvim-0.11") == 1 then
    sent, request = client:request(method, parameters, handler)
  else
    sent, request = client.request(method, parameters, handler)
  end
  return sent and request or nil
end

function M.cancel(client, request)
  if vim.fn.has("nvim-0.11") == 1 then
    client:cancel_request(request)
  else
    client.cancel_request(request)
  end
end

function M.execute(client, command, arguments, answered, failed)
  -- Arguments are left out if there are none: an empty Lua table would become a JSON object.
  local parameters = { command = command, arguments = #arguments > 0 and arguments or nil }
  return M.request(client, "workspace/executeCommand", parameters, answered, failed)
end

function M.check_now()
  local client = M.current()
  if client then
    M.execute(client, "racelens.checkNow", {}, function() end)
  end
end

return M
