-- Looks at what a user of Neovim would see, and prints it as JSON. Run after the documented configuration.
local function settle(what, holds)
  if not vim.wait(30000, holds, 20) then
    error("Neovim never had " .. what)
  end
end

local function lenses()
  return vim.tbl_map(function(lens)
    return lens.command.title
  end, vim.lsp.codelens.get(0))
end

local function popup()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    end
  end
end

local seen = {}
settle("code lenses", function()
  return #lenses() > 0
end)
seen.lenses = lenses()

-- The heaviest lines may be told before it.
settle("the line where the run was killed", function()
  return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) > 0
end)
seen.diagnostics = vim.tbl_map(function(one)
  return { line = one.lnum, severity = one.severity, message = one.message }
end, vim.diagnostic.get(0))

vim.api.nvim_win_set_cursor(0, { 4, 4 })
vim.lsp.buf.hover()
settle("a hover", function()
  return popup() ~= nil
end)
seen.hover = popup()

vim.cmd("JetsonMemory off")
settle("no code lenses any more", function()
  return #lenses() == 0
end)
vim.cmd("JetsonMemory 20261121")
settle("code lenses of the named run", function()
  return #lenses() > 0
end)

-- Before Neovim 0.10 the heaviest lines are diagnostics.
local function heavy()
  if vim.lsp.inlay_hint then
    return vim.tbl_map(function(hint)
      return hint.inlay_hint.label
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
  end
  return vim.tbl_map(function(one)
    return one.message
  end, vim.diagnostic.get(0, { severity = vim.diagnostic.severity.INFO }))
end
settle("the heaviest lines", function()
  return #heavy() > 0
end)
seen.heavy = heavy()

local json = vim.json and vim.json.encode or vim.fn.json_encode
io.stdout:write(json(seen) .. "\n")
vim.cmd("qall!")
