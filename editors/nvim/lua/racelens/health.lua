-- What `:checkhealth racelens` tells.
local M = {}

local health = vim.health or require("health")
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local report_error = health.error or health.report_error

local function check_server()
  local program = require("racelens.client").command_line()[1]
  if vim.fn.executable(program) == 0 then
    report_error(program .. " was not found", {
      "Build it in the sources of Racelens: cargo install --path server",
      'Or name it: require("racelens").setup({ cmd = { "/path/to/racelens", "lsp" } })',
    })
    return
  end
  local version = vim.trim(vim.fn.system({ program, "--version" }))
  if vim.v.shell_error == 0 then
    ok(vim.fn.exepath(program) .. " is " .. version)
  else
    report_error(vim.fn.exepath(program) .. " does not tell its version", { version })
  end
end

local function check_compiler()
  for _, name in ipairs({ "cc", "gcc", "clang" }) do
    if vim.fn.executable(name) == 1 then
      ok("the compiler " .. vim.fn.exepath(name) .. " preprocesses files that have no compile_commands.json")
      return
    end
  end
  warn("no C compiler was found in PATH", { "Install gcc or clang: Racelens lets it preprocess the files" })
end

local function check_client()
  local running = vim.tbl_filter(function(client)
    return client.name == "racelens"
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
  if #running == 0 then
    info('the server is not running: call require("racelens").setup() and open a C file')
    return
  end
  for _, client in ipairs(running) do
    local root = client.config.root_dir or "no folder"
    ok("the server is running for " .. root .. ": " .. require("racelens").status())
    local provider = client.server_capabilities.executeCommandProvider
    if provider and vim.tbl_contains(provider.commands, "racelens.verify") then
      ok("it can verify races")
    else
      warn("it cannot verify races", { "Use a newer version of the program racelens" })
    end
  end
end

function M.check()
  start("racelens")
  if vim.fn.has("nvim-0.7") == 1 then
    ok("this Neovim is new enough")
  else
    report_error("Neovim 0.7 or newer is needed")
  end
  check_server()
  check_compiler()
  check_client()
end

return M
