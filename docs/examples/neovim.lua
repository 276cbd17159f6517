-- Memory figures of jetson-memprof in Neovim: hover, code lens, diagnostics, and inlay hints from Neovim 0.10 on.
-- Save it as ~/.config/nvim/plugin/jetson_memprof.lua. It needs Neovim 0.7 or newer and jetson-memprof on the PATH.

local settings = {
  cmd = { "jetson-memprof", "lsp" },
  options = {
    metric = "rss", -- or "cuda", "system"
    threshold = 0.1, -- MiB; lines that moved less have no inlay hint
    -- Without inlay hints the heaviest lines are told as diagnostics.
    heavyLines = vim.lsp.inlay_hint and "off" or "information",
  },
}
-- Another place or other options, set before this file is read: vim.g.jetson_memprof = { cmd = { … } }
settings = vim.tbl_deep_extend("force", settings, vim.g.jetson_memprof or {})

-- Neovim shows a table better as text than as Markdown.
local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.textDocument.hover.contentFormat = { "plaintext" }

-- The folder with the runs, else the one with the repository, else the file's own.
local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  for _, marker in ipairs({ ".jetson-memprof", ".git" }) do
    local found = vim.fn.finddir(marker, vim.fn.escape(folder, " ,;") .. ";")
    if found ~= "" then
      return vim.fn.fnamemodify(found, ":p:h:h")
    end
  end
  return folder
end

local function on_attach(_, buffer)
  local refresh = function()
    vim.lsp.codelens.refresh()
  end
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "CursorHold" }, {
    group = vim.api.nvim_create_augroup("jetson_memprof_" .. buffer, {}),
    buffer = buffer,
    callback = refresh,
  })
  refresh()
  if vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
end

local clients = {} -- by root folder, where Neovim is older than 0.8

local function attach(buffer, config)
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local root = config.root_dir
  if not (clients[root] and vim.lsp.get_client_by_id(clients[root])) then
    clients[root] = vim.lsp.start_client(config)
  end
  vim.lsp.buf_attach_client(buffer, clients[root])
end

vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("jetson_memprof", {}),
  pattern = "python",
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    if file == "" or vim.fn.executable(settings.cmd[1]) == 0 then
      return
    end
    local root = root_of(file)
    attach(event.buf, {
      name = "jetson-memprof",
      cmd = settings.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      capabilities = capabilities,
      init_options = settings.options,
      on_attach = on_attach,
    })
  end,
})

-- :JetsonMemory            asks which run to show
-- :JetsonMemory NAME       shows the run that you named so, or whose id begins so
-- :JetsonMemory latest     follows the newest run again
-- :JetsonMemory off        hides the figures
-- :JetsonMemory rss|cuda|system  chooses the memory beside the lines
local verbs = { latest = "showLatest", off = "hideFigures" }
local metrics = { rss = true, cuda = true, system = true }

local function answered(err)
  if err then
    vim.notify(err.message, vim.log.levels.ERROR)
  else
    vim.lsp.codelens.refresh()
  end
end

vim.api.nvim_create_user_command("JetsonMemory", function(command)
  local word = command.args
  local request = { command = "jetsonMemprof." .. (verbs[word] or (metrics[word] and "chooseMetric") or "showRun") }
  if word ~= "" and not verbs[word] then
    request.arguments = { word }
  end
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == "jetson-memprof" then
      if vim.fn.has("nvim-0.11") == 1 then
        client:request("workspace/executeCommand", request, answered)
      else
        client.request("workspace/executeCommand", request, answered)
      end
    end
  end
end, {
  nargs = "?",
  complete = function()
    return { "latest", "off", "rss", "cuda", "system" }
  end,
})
