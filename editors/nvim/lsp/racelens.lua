-- Neovim 0.11 and newer read this file for `vim.lsp.enable("racelens")`, with or without `setup`.
return require("racelens.client").config()
