package shell

import "testing"

func TestFailureLineSaysWhy(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"":                                     "",
		"building\n\n  done with warnings\n\n": "done with warnings",
		"=== RUN   TestA\n    a_test.go:7: got 3, want 4\n--- FAIL: TestA (0.00s)\nFAIL\nexit status 1\nFAIL\tx/y\t0.003s\nFAIL\n":   "--- FAIL: TestA (0.00s)",
		"# x/y\n./a.go:3:5: undefined: foo\n./a.go:9:1: missing return\n":                                                            "./a.go:9:1: missing return",
		"cc -c a.c\na.c:1:1: error: unknown type name 'x'\nmake: *** [Makefile:3: a.o] Error 1\n":                                    "a.c:1:1: error: unknown type name 'x'",
		"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: invalid literal\n":                    "ValueError: invalid literal",
		"npm error code E404\nnpm error 404 Not Found - GET https://r/x\nnpm error A complete log of this run can be found in: /x\n": "npm error 404 Not Found - GET https://r/x",
		"make: *** No rule to make target 'x'.  Stop.\n":                                                                             "make: *** No rule to make target 'x'. Stop.",
		"\x1b[31mfatal: not a git repository\x1b[0m\r\n":                                                                             "fatal: not a git repository",
	} {
		if got := failureLine(output); got != want {
			t.Errorf("of %q: %q, want %q", output, got, want)
		}
	}
}
