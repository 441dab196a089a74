-- The connection with the server: how it is started, found and asked.
local M = {}

local options = { cmd = { "racelens", "lsp" }, settings = {} }

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
    },
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

--- Asks the server and hands its answer on; an error is shown and not handed on.
function M.request(client, method, parameters, answered)
  local function handler(problem, result)
    if problem then
      vim.notify("Racelens: " .. (problem.message or tostring(problem)), vim.log.levels.ERROR)
    else
      answered(result)
    end
  end
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, parameters, handler)
  else
    client.request(method, parameters, handler)
  end
end

function M.execute(client, command, arguments, answered)
  -- Arguments are left out if there are none: an empty Lua table would become a JSON object.
  local parameters = { command = command, arguments = #arguments > 0 and arguments or nil }
  M.request(client, "workspace/executeCommand", parameters, answered)
end

function M.check_now()
  local client = M.current()
  if client then
    M.execute(client, "racelens.checkNow", {}, function() end)
  end
end

return M
