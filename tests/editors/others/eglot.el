;;; eglot.el --- Racelens in Emacs, by eglot, on the demo -*- lexical-binding: t -*-

;; emacs --batch -l eglot.el, with RACELENS_SERVER and RACELENS_DEMO

(require 'eglot)

(add-to-list 'eglot-server-programs
             `((c-mode c-ts-mode) . (,(getenv "RACELENS_SERVER") "lsp")))

(defun racelens-wait (what question)
  "Wait until QUESTION gives something, and give that; WHAT is said if it does not."
  (let ((end (+ (float-time) 60)) found)
    (while (not (setq found (funcall question)))
      (when (> (float-time) end)
        (error "waited in vain until %s" what))
      (accept-process-output nil 0.1))
    found))

(defun racelens-diagnostics ()
  "The texts of all diagnostics in the buffer."
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(let ((eglot-sync-connect 30))
  (find-file (expand-file-name "cache.c" (getenv "RACELENS_DEMO")))
  (c-mode)
  (call-interactively #'eglot)
  (racelens-wait
   "both ends of a race are shown"
   (lambda ()
     (>= (cl-count-if (lambda (text) (string-match-p "cache\\.lookups" text)) (racelens-diagnostics)) 2)))
  (princ "emacs: ok, both ends of a race are shown\n")
  (goto-char (point-min))
  (search-forward "cache->lookups")
  (backward-char 2)
  (let ((hover (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                (eglot--TextDocumentPositionParams))))
    (unless (string-match-p "stats_lock" (format "%s" hover))
      (error "no lock is in %s" hover)))
  (princ "emacs: ok, a hover tells the locks\n")
  (let* ((server (eglot--current-server-or-lose))
         (actions (jsonrpc-request server :textDocument/codeAction
                                   (list :textDocument (eglot--TextDocumentIdentifier)
                                         :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                                         :context '(:diagnostics []))))
         (verify (cl-find-if (lambda (action) (string-match-p "\\`Verify the race" (plist-get action :title))) actions))
         (command (plist-get verify :command)))
    (eglot-execute-command server (plist-get command :command) (plist-get command :arguments)))
  (racelens-wait
   "the race is witnessed"
   (lambda ()
     (cl-some (lambda (text) (string-match-p "\\`[^p]*data race on `cache\\.lookups`" text)) (racelens-diagnostics))))
  (princ "emacs: ok, a race is verified\n")
  (eglot-shutdown (eglot--current-server-or-lose)))
