-- Interleavings: looks for one that shows a race, and shows it in a buffer with a column for each thread.
local M = {}

local NAME = "racelens://interleaving"
local NAMESPACE = vim.api.nvim_create_namespace("racelens.interleaving")
--- How wide the column of a thread is at most.
local WIDEST = 44

--- The search that is under way: its client and the number of its request.
local running = nil

--- What the buffer shows: the places of its lines, and the client that knows their encoding.
local shown = { places = {}, client = nil }

local function padded(text, width)
  return text .. string.rep(" ", width - vim.fn.strdisplaywidth(text))
end

local function cut(text)
  if vim.fn.strdisplaywidth(text) <= WIDEST then
    return text
  end
  return vim.fn.strcharpart(text, 0, WIDEST - 1) .. "…"
end

local function place_name(step)
  if type(step.file) ~= "string" or type(step.range) ~= "table" then
    return ""
  end
  return step.file .. ":" .. (step.range.start.line + 1)
end

--- What is held at the two accesses that happen at once.
local function remark(step)
  if not step["end"] then
    return ""
  end
  return #step.locks == 0 and "  (no lock held)" or "  (holds " .. table.concat(step.locks, ", ") .. ")"
end

local function heading(answer, thread)
  return thread .. ": " .. answer.threads[thread + 1].entry
end

--- The numbers of the threads that do something, and the names of the others.
local function acting_threads(answer)
  local acts, acting, idle = {}, {}, {}
  for _, step in ipairs(answer.steps) do
    acts[step.thread] = true
  end
  for thread = 0, #answer.threads - 1 do
    if acts[thread] then
      table.insert(acting, thread)
    else
      table.insert(idle, heading(answer, thread))
    end
  end
  return acting, idle
end

--- The text of an interleaving, and the step of each line that has one.
function M.lines(answer)
  local acting, idle = acting_threads(answer)
  local widths, place_width = {}, 0
  for _, thread in ipairs(acting) do
    widths[thread] = vim.fn.strdisplaywidth(heading(answer, thread))
  end
  for _, step in ipairs(answer.steps) do
    widths[step.thread] = math.max(widths[step.thread], vim.fn.strdisplaywidth(cut(step.what)))
    place_width = math.max(place_width, vim.fn.strdisplaywidth(place_name(step)))
  end
  local function row(number, place, cell_of, last)
    local cells = {}
    for _, thread in ipairs(acting) do
      table.insert(cells, padded(cell_of(thread), widths[thread]))
    end
    local line = string.format("%3s  %s  %s", number, padded(place, place_width), table.concat(cells, " │ "))
    return (line:gsub("%s+$", "")) .. last
  end

  local lines, steps = { "Race on " .. answer.location_name .. ": " .. answer.summary, "" }, {}
  table.insert(lines, row("", "", function(thread)
    return heading(answer, thread)
  end, ""))
  local at_once = false
  for _, step in ipairs(answer.steps) do
    if step["end"] and not at_once then
      at_once = true
      table.insert(lines, "     at the same time:")
    end
    table.insert(lines, row(tostring(step.number), place_name(step), function(thread)
      return thread == step.thread and cut(step.what) or ""
    end, remark(step)))
    steps[#lines] = step
  end
  if #idle > 0 then
    table.insert(lines, "     nothing happens in " .. table.concat(idle, ", "))
  end
  for _, assumption in ipairs(answer.assumptions) do
    table.insert(lines, "     assumed: " .. assumption)
  end
  return lines, steps
end

local function unmark()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  end
end

--- The window to show the source in: the one before, unless that shows something else.
local function source_window()
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  if before ~= 0 and vim.bo[vim.api.nvim_win_get_buf(before)].buftype == "" then
    return before
  end
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.bo[vim.api.nvim_win_get_buf(window)].buftype == "" then
      return window
    end
  end
  vim.cmd("aboveleft split")
  return vim.api.nvim_get_current_win()
end

--- Goes from the line of a step to its place in the source, which is marked.
function M.jump()
  local step = shown.places[vim.api.nvim_win_get_cursor(0)[1]]
  if not step or type(step.uri) ~= "string" then
    vim.notify("Racelens: there is no step in this line")
    return
  end
  local encoding = shown.client and shown.client.offset_encoding or "utf-16"
  local location = { uri = step.uri, range = step.range }
  local item = vim.lsp.util.locations_to_items({ location }, encoding)[1]
  vim.api.nvim_set_current_win(source_window())
  vim.cmd("edit " .. vim.fn.fnameescape(vim.uri_to_fname(step.uri)))
  vim.api.nvim_win_set_cursor(0, { item.lnum, item.col - 1 })
  vim.cmd("normal! zv")
  unmark()
  vim.api.nvim_buf_set_extmark(0, NAMESPACE, item.lnum - 1, 0, { line_hl_group = "CursorLine", sign_text = "▶" })
end

local function prepare(buffer)
  vim.bo[buffer].filetype = "racelens"
  local jump = "<Cmd>lua require('racelens.interleaving').jump()<CR>"
  local options = { noremap = true, silent = true, desc = "Go to the line of this step" }
  vim.api.nvim_buf_set_keymap(buffer, "n", "<CR>", jump, options)
  vim.api.nvim_create_autocmd("BufWinLeave", { buffer = buffer, callback = unmark })
end

local function arrange(window)
  vim.wo[window].wrap = false
  vim.wo[window].cursorline = true
end

local function open(answer, client)
  local lines, places = M.lines(answer)
  shown = { places = places, client = client }
  local window = require("racelens.side_window").show(NAME, lines, prepare, arrange)
  local first = #lines
  for line in pairs(places) do
    first = math.min(first, line)
  end
  vim.api.nvim_win_set_cursor(window, { first, 0 })
end

--- Asks with the arguments of a command of the server: the id of a race, or a place.
local function ask(command, arguments, answered)
  local client_module = require("racelens.client")
  local client = client_module.current()
  if not client then
    return
  end
  local request = client_module.execute(client, command, arguments, function(answer)
    running = nil
    answered(answer, client)
  end, function(problem)
    running = nil
    -- Who has stopped it knows.
    if problem.code ~= client_module.CANCELLED then
      vim.notify("Racelens: " .. (problem.message or tostring(problem)), vim.log.levels.WARN)
    end
  end)
  running = { client = client, request = request }
end

--- Looks for an interleaving, and says what came of it.
function M.verify_with(arguments)
  ask("racelens.verify", arguments, function(answer)
    local message = "Race on " .. answer.location_name .. ": " .. answer.summary
    if answer.verdict == "witnessed" then
      message = message .. " :RacelensTrace " .. answer.id .. " shows it."
    end
    vim.notify(message)
  end)
end

--- Shows the interleaving of a race, which is looked for first if it is not known.
function M.show_with(arguments)
  ask("racelens.showInterleaving", arguments, function(answer, client)
    if answer.verdict == "witnessed" then
      open(answer, client)
    else
      vim.notify("Race on " .. answer.location_name .. ": " .. answer.summary)
    end
  end)
end

--- `id` is the id of a race, or empty for the race at the cursor.
local function with_race(id, act)
  local client = require("racelens.client").current()
  if id ~= "" then
    act({ id })
  elseif client then
    local here = vim.lsp.util.make_position_params(0, client.offset_encoding)
    act({ here.textDocument.uri, here.position })
  end
end

function M.verify(id)
  with_race(id, M.verify_with)
end

function M.show(id)
  with_race(id, M.show_with)
end

--- Stops the search that is under way.
function M.stop()
  if not running or not running.request then
    vim.notify("Racelens: nothing is being verified")
    return
  end
  require("racelens.client").cancel(running.client, running.request)
end

return M
