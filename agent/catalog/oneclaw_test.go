package catalog_test

import "testing"

// The line of ONE (OneClaw FEAT-011) that is about the catalogue.
func TestOneClawAcceptanceCriteria(t *testing.T) {
	t.Parallel()
	t.Run("Pre-seeded models have correct contextWindowSize values populated", TestSeedWindows)
}
