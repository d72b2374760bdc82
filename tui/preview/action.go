package preview

import "plimsoll/compact/edit"

type (
	// Changed asks what another wish would do. The view shows it as the one whose
	// numbers are on their way.
	Changed struct{ Wish edit.Request }

	// Accepted says that the wish is to be done whose numbers are shown.
	Accepted struct{ Wish edit.Request }
)
