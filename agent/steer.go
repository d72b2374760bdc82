package agent

import "context"

// Pin keeps events as they were said, or ends that.
func (a *Agent) Pin(events []uint64, pinned bool) { a.inbox.put(func(context.Context) {}) }

// Mask shows a stub in place of the results of events.
func (a *Agent) Mask(events []uint64) { a.inbox.put(func(context.Context) {}) }

// RestoreTurns brings the turns back that were taken back last.
func (a *Agent) RestoreTurns() { a.inbox.put(func(context.Context) {}) }

// Inspect answers with Inspected.
func (a *Agent) Inspect() { a.inbox.put(func(context.Context) {}) }

// Review takes a summary in that waits for the user, or gives it up.
func (a *Agent) Review(text string, accept bool) { a.inbox.put(func(context.Context) {}) }
