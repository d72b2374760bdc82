package preview

import "plimsoll/compact/edit"

type (
	// Changed asks what another request would do. The view shows it as the one whose
	// numbers are on their way.
	Changed struct{ Request edit.Request }

	// Accepted asks to carry out the request whose numbers are shown.
	Accepted struct{ Request edit.Request }
)
