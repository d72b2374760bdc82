// Package tui is the screen: a Bubble Tea program that shows one conversation
// and its load line, and takes the keyboard.
//
// Update does no I/O, does not wait and starts no goroutine: work that takes time is
// a command (effects.go) with a context. The screen reaches everything else
// through two interfaces (backend.go): Session is the agent of the open conversation,
// Backend the rest of the program. View is a function of the model.
//
// # Parts
//
// Model is the root, and the only tea.Model: it routes messages to four parts. The
// session is the state of the open conversation, which the other parts read. The chat is
// the main screen: transcript, composer, waiting messages, and the lines around
// them. The views are the stack of full-screen views, the dialogs the stack of dialogs
// and the pending questions. A part changes only its own state. A change of another part
// it returns as an action (actions.go), which the root carries out. Every update of
// the agent goes to all four parts, the session first.
//
// # Full-screen views
//
// The context view, the history, the compaction log, the preview, the review and the
// search are each a package below this one and do not import each other.
// They form a stack (views.go): a view opens over the visible one. When the
// conversation changes, the visible view is refreshed, once for all updates that
// arrive together. A view draws, and answers a key with an action; the type that
// embeds it here turns the action into a call of Session or Backend.
//
// What a view shows is computed from the log and the projected view, without a request.
// The agent passes log, view and meter on, also while a reply streams,
// and adds up the breakdown in a goroutine. Lists lay out only their visible rows.
package tui
