// Package tui is the screen: a Bubble Tea program that shows one conversation
// and its load line, and takes the keyboard.
//
// Update does no I/O, waits for nothing and starts nothing: what takes time is
// a command (effects.go) with a context. Everything outside the screen is reached
// through two interfaces (backend.go): Session is the agent of the open conversation,
// Backend all else. View is a function of the model.
//
// # Parts
//
// Model is the root, and the only tea.Model: it routes messages to four parts. The
// session is the open conversation as updates tell it; the others read it. The chat is
// the main screen: transcript, composer, messages that wait, and the lines around
// them. The views are the stack of full-screen views, the dialogs the stack of dialogs
// and the questions that open one. A part changes only its own state. What it wants of
// another it returns as an action (actions.go), which the root does; every update of
// the agent goes to all four, the session first.
//
// # Full-screen views
//
// The context view, the history, the ledger, the preview, the review and the
// search each stand in a package below this one and know nothing of each other.
// They lie on a stack (views.go): opening one puts it over the one in sight. When the
// conversation goes on, the view in sight is renewed, once for all updates that
// arrive together. A view draws, and answers a key with an action; the file that
// embeds it here turns the action into a call of Session or Backend.
//
// What a view shows is a function of log and view, and looking costs no request.
// The agent hands log, view and meter over as they are, also while a reply streams,
// and a goroutine adds them up. Lists lay out only the rows in sight.
package tui
