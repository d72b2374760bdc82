package pane

// Shift says that the rows have moved by so many: what was in sight stays in sight,
// though it counts differently now.
func (l *List) Shift(by int) { l.sel, l.top = max(0, l.sel+by), max(0, l.top+by) }
