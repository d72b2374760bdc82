// Package tools holds the tools a model may call: reading, searching and
// editing the files of a workspace, running commands, fetching pages, keeping a
// checklist, asking the user, recalling and searching what a cut or an overlay
// hides, and asking for a compaction.
//
// A [Box] is the set of tools of one conversation. It says what the tools are
// ([Box.Specs]), what a call needs before it may run ([Box.Review]), runs it
// ([Box.Run]) and remembers approvals ([Box.Allow]).
//
// # Guarantees
//
//   - File tools never reach outside the workspace, whatever links and races
//     there are (os.Root), and never block on pipes or devices.
//   - A command runs in its own session and process group, without a
//     terminal, without input and without keys in its environment, and nothing
//     of its group outlives the call, or the Box if it runs in the background.
//   - http_request connects to no loopback, private, link-local or otherwise
//     special address unless configured, judged at every connection after DNS.
//   - A deny rule wins over every mode, rule and grant. A compound command is
//     allowed only if each of its simple commands is.
//   - recall and search_history read the log of this conversation and no other,
//     whatever overlays hide; compact only asks for a compaction.
//   - Run never panics and never fails: what goes wrong is an outcome that tells
//     the model what was wrong and what to do.
//   - The declarations are byte-identical for the same options.
//
// Texts are returned whole and not sanitised for a terminal; whoever stores
// them cleans and cuts them.
package tools
