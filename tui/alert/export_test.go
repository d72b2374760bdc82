package alert

// Newest is the beat that keeps the bar alive.
func (p *Progress) Newest() Beat { return Beat{p.seq} }
