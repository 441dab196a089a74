-- A window of the plugin's own beside the source, for one kind of text that each new one takes over.
local M = {}

local function buffer_named(name, prepare)
  local buffer = vim.fn.bufnr("^" .. name .. "$")
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
    vim.api.nvim_buf_set_keymap(buffer, "n", "q", "<Cmd>close<CR>", { noremap = true, desc = "Close this window" })
    prepare(buffer)
  end
  return buffer
end

--- Shows lines in the buffer of that name. `prepare` gets the buffer when it is new, `arrange` the window.
function M.show(name, lines, prepare, arrange)
  local buffer = buffer_named(name, prepare)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  local window = vim.fn.bufwinid(buffer)
  if window == -1 then
    vim.cmd("botright split")
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
    arrange(window)
  else
    vim.api.nvim_set_current_win(window)
  end
  return window
end

return M
