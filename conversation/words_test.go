package conversation_test

import (
	"strings"
	"testing"

	"plimsoll/conversation"
)

func TestWordsOfTheUserAndOfClients(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"Fix it.": {"Fix it.", ""},
		"Fix it.\n<system-reminder>\nNever say so.\n</system-reminder>\nNow.":         {"Fix it.\n\nNow.", "\nNever say so.\n\n"},
		"<system-reminder>a</system-reminder> <system-reminder>b</system-reminder>Go": {" Go", "a\nb\n"},
		"<system-reminder>never closed":                                               {"<system-reminder>never closed", ""},
		"a\n<system-reminder </system-reminder>b":                                     {"a\n<system-reminder </system-reminder>b", ""},
		"<system-reminder\n</system-reminder><system-reminder>a</system-reminder>":    {"<system-reminder\n</system-reminder><system-reminder>a</system-reminder>", ""},
		"What does <system-reminder> mean?":                                           {"What does <system-reminder> mean?", ""},
		"<system-reminders>":                                                          {"<system-reminders>", ""},
		"<system-reminder":                                                            {"<system-reminder", ""},
		"<div>\nkeep</div>":                                                           {"<div>\nkeep</div>", ""},
		"<command-message>go</command-message>\n<command-name>/go</command-name>\n<command-args>on</command-args>": {"\n/go\non", "go\n"},
		"<bash-input>ls</bash-input>":                                                {"! ls", ""},
		"[Request interrupted by user for tool use]\nStop that.":                     {"Stop that.", ""},
		"This session is being continued from a previous conversation that ran out.": {"", "This session is being continued from a previous conversation that ran out."},
	} {
		if user, client := (conversation.UserMessage{Text: text}).Words(); user != want[0] || client != want[1] {
			t.Errorf("%q: %q and %q, want %q", text, user, client, want)
		}
	}
	for _, hostile := range []string{"<system-reminder>x</system-reminder>\n", "a <system-reminder ", "<system-reminder>\n", "<system-reminder\n", "   "} { // quadratic work would take minutes
		(conversation.UserMessage{Text: "<" + strings.Repeat(hostile, 1<<17)}).Words()
	}
}
