package preview

import "plimsoll/compact"

type (
	// Changed asks what another wish would do. The view shows it as the one whose
	// numbers are on their way.
	Changed struct{ Wish compact.Wish }

	// Accepted says that the wish is to be done whose numbers are shown.
	Accepted struct{ Wish compact.Wish }
)
