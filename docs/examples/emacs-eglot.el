;;; Memory figures of jetson-memprof in Emacs with Eglot: hover (eldoc), diagnostics, and inlay hints from Emacs 29 on.
;;; Add it to your init file. Eglot speaks to one server for a buffer: this one takes the place of your Python server
;;; there. To have both, use lsp-mode.

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '(python-mode . ("jetson-memprof" "lsp"
                                :initializationOptions (:metric "rss" :threshold 0.1)))))

(add-hook 'python-mode-hook #'eglot-ensure)

(defun jetson-memory (run)
  "Show the figures of RUN, whose name may be cut short; without a name follow the newest run."
  (interactive "sRun (empty for the newest): ")
  (let ((server (eglot--current-server-or-lose)))
    (if (string-empty-p run)
        (eglot-execute-command server 'jetsonMemprof.showLatest nil)
      (eglot-execute-command server 'jetsonMemprof.showRun (vector run)))))
