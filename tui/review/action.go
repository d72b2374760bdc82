package review

type (
	// Taken says that the summary is to take effect with this text.
	Taken struct{ Text string }

	// GivenUp says that the summary is not wanted.
	GivenUp struct{}

	// Editor asks for the text in the user's editor; SetText brings it back.
	Editor struct{ Text string }
)
