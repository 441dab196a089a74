-- All findings as a quickfix list: both ends of each race, one below the other.
local M = {}

local function access_text(race, access)
  local locks = #access.locks == 0 and "no lock" or "with " .. table.concat(access.locks, ", ")
  local kind = access.write and "write" or "read"
  return string.format("%s: %s in %s, %s", race.location_name, kind, access.thread, locks)
end

local function item(place, text, kind, encoding)
  -- One by one, because Neovim sorts several places, which would tear the pairs apart.
  local found = vim.lsp.util.locations_to_items({ { uri = place.uri, range = place.range } }, encoding)[1]
  found.text = text
  found.type = kind
  return found
end

--- The findings of the server as items of a quickfix list, in the server's order.
function M.items(findings, encoding)
  local items = {}
  for _, race in ipairs(findings.races) do
    for _, access in ipairs(race.accesses) do
      local kind = race.tier == "witnessed" and "E" or "W"
      table.insert(items, item(access, access_text(race, access), kind, encoding))
    end
  end
  for _, violation in ipairs(findings.violations) do
    table.insert(items, item(violation, violation.message, "W", encoding))
  end
  return items
end

function M.to_quickfix()
  local client_module = require("racelens.client")
  local client = client_module.current()
  if not client then
    return
  end
  client_module.request(client, "racelens/races", nil, function(findings)
    if type(findings) ~= "table" then
      vim.notify("Racelens: the program was not checked yet; :RacelensCheckNow does it")
      return
    end
    local items = M.items(findings, client.offset_encoding)
    vim.fn.setqflist({}, " ", { title = "Races", items = items })
    if #items == 0 then
      vim.cmd("cclose")
      vim.notify("Racelens: no races")
    else
      vim.cmd("copen")
    end
  end)
end

return M
