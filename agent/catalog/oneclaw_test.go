package catalog_test

import "testing"

// This is the criterion of OneClaw's FEAT-011 about the catalogue.
func TestOneClawAcceptanceCriteria(t *testing.T) {
	t.Parallel()
	t.Run("Pre-seeded models have correct contextWindowSize values populated", TestModelsOfFEAT011HaveTheirWindows)
}
