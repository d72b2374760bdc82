package compact

// Range is a run of turns, both ends included, as absolute 0-based numbers.
type Range struct{ From, To int }
