;;; Memory figures of jetson-memprof in Emacs with lsp-mode: hover, code lenses, diagnostics, and inlay hints from
;;; lsp-mode 8.0.1 on. Add it to your init file. It runs beside your Python server.

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("jetson-memprof" "lsp"))
                    :activation-fn (lsp-activate-on "python")
                    :server-id 'jetson-memprof
                    :add-on? t
                    :initialization-options '(:metric "rss" :threshold 0.1))))

(add-hook 'python-mode-hook #'lsp-deferred)
