-- The commands of Racelens. They load the rest when they are used.
if vim.g.loaded_racelens then
  return
end
vim.g.loaded_racelens = true

local command = vim.api.nvim_create_user_command

command("RacelensRaces", function()
  require("racelens.races").to_quickfix()
end, { desc = "All races, with both accesses of each, as a quickfix list" })

command("RacelensExplain", function(given)
  require("racelens.explanation").show(given.args)
end, { nargs = "?", desc = "Explain the access at the cursor, or the race with the given id" })

command("RacelensCheckNow", function()
  require("racelens.client").check_now()
end, { desc = "Check the program now" })

command("RacelensVerify", function(given)
  require("racelens.interleaving").verify(given.args)
end, { nargs = "?", desc = "Look for an interleaving that shows the race at the cursor, or the race with the given id" })

command("RacelensTrace", function(given)
  require("racelens.interleaving").show(given.args)
end, { nargs = "?", desc = "Show the interleaving of the race at the cursor, or of the race with the given id" })

command("RacelensStop", function()
  require("racelens.interleaving").stop()
end, { desc = "Stop looking for an interleaving" })
