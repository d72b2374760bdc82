package openai

import "crypto/rand"

// randomID is a call id for a server that gives none: nine letters and digits,
// the only form every provider takes.
func randomID() string { return rand.Text()[:9] }
