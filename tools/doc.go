// Package tools holds the tools a model may call: reading, searching and
// editing the files of a workspace, running commands, fetching pages, keeping a
// checklist, asking the user, recalling and searching text that was cut or that
// an overlay replaces, and requesting a compaction.
//
// A [Box] is the set of tools of one conversation. It declares the tools
// ([Box.Specs]), decides whether a call needs approval ([Box.Review]), runs calls
// ([Box.Run]) and remembers approvals ([Box.Allow]).
//
// # Guarantees
//
//   - File tools never reach outside the workspace, even through links or races
//     (os.Root), and never block on pipes or devices.
//   - A command runs in its own session and process group, without a
//     terminal, without input and without API keys in its environment. Its process
//     group ends with the call, or with the Box if it runs in the background.
//   - http_request connects to no loopback, private, link-local or otherwise
//     special address unless configured. Every connection is checked after DNS.
//   - A deny rule wins over every mode, rule and grant. A compound command is
//     allowed only if each of its simple commands is.
//   - recall and search_history read the log of this conversation and no other,
//     including messages that overlays replace; compact only requests a compaction.
//   - Run never panics and returns no error: every failure is an outcome that tells
//     the model what was wrong and what to do.
//   - The declarations are byte-identical for the same options.
//
// Texts are returned whole and not sanitised for a terminal; the code that stores
// them cleans and cuts them.
package tools
