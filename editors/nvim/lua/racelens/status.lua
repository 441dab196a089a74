-- What the server says about itself, for status lines.
local M = {}

local last = nil

local function counted(count, noun)
  return count == 1 and "1 " .. noun or count .. " " .. noun .. "s"
end

--- The handler of the notification `racelens/status`.
function M.receive(_, status)
  last = status
  vim.api.nvim_exec_autocmds("User", { pattern = "RacelensStatus" })
end

function M.last()
  return last
end

function M.text()
  if not last then
    return ""
  end
  if last.state ~= "ready" then
    return last.state
  end
  if last.violations > 0 then
    return counted(last.races + last.violations, "finding")
  end
  return last.races == 0 and "no races" or counted(last.races, "race")
end

return M
