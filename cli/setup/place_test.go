package setup

import (
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

func TestLocalAddresses(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"http://127.0.0.1:8080/v1": true, "http://localhost/v1": true, "http://[::1]:1234/v1": true, "http://192.168.1.7:8000/v1": true,
		"http://gpu-box:8000/v1": true, "http://studio.local/v1": true, "http://0.0.0.0:11434/v1": true, "http://100.101.102.103/v1": true,
		"http://[::ffff:10.0.0.1]/v1": true,
		"https://api.openai.com/v1":   false, "https://127.0.0.1.nip.io/v1": false, "http://8.8.8.8/v1": false, "": false, "not an address": false,
		"https://local.example.org/v1": false,
	} {
		if got := IsLocal(base); got != want {
			t.Errorf("local(%q) = %v", base, got)
		}
	}
}

func TestSendingToAnotherHostLeavesTheMachine(t *testing.T) {
	t.Parallel()
	near, far := "http://127.0.0.1:8080/v1", "https://api.example.org/v1"
	for name, c := range map[string]struct {
		held conversation.ModelChanged
		to   llm.Model
		want bool
	}{
		"new":                        {conversation.ModelChanged{}, llm.Model{Provider: "openai", BaseURL: far}, false},
		"near to far":                {conversation.ModelChanged{Provider: "ollama", Model: "m", BaseURL: near}, llm.Model{Provider: "openai", BaseURL: far}, true},
		"near under a hosted name":   {conversation.ModelChanged{Provider: "openai", Model: "m", BaseURL: near}, llm.Model{Provider: "openai", BaseURL: far}, true},
		"far under a local name":     {conversation.ModelChanged{Provider: "custom", Model: "m", BaseURL: far}, llm.Model{Provider: "openai", BaseURL: far}, false},
		"an old log of a local name": {conversation.ModelChanged{Provider: "vllm", Model: "m"}, llm.Model{Provider: "openai", BaseURL: far}, true},
		"an old log of a hosted one": {conversation.ModelChanged{Provider: "groq", Model: "m"}, llm.Model{Provider: "openai", BaseURL: far}, false},
		"the demo model":             {conversation.ModelChanged{Provider: "demo", Model: "demo"}, llm.Model{Provider: "openai", BaseURL: far}, true},
		"to the demo model":          {conversation.ModelChanged{Provider: "ollama", Model: "m"}, llm.Model{Provider: "demo"}, false},
		"near to near":               {conversation.ModelChanged{Provider: "ollama", Model: "m", BaseURL: near}, llm.Model{Provider: "vllm", BaseURL: near}, false},
	} {
		if got := MovesToHosted(c.held, c.to); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRecordedAddressesContainNoSecret(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://me:secret@example.org:8443/v1/?key=secret#x": "https://example.org:8443/v1",
		"http://127.0.0.1:11434/v1":                           "http://127.0.0.1:11434/v1",
	} {
		if got := withoutSecrets(base); got != want {
			t.Errorf("%q is recorded as %q", base, got)
		}
	}
	if !SameEndpoint("http://localhost:8080/v1/", "http://127.0.0.1:8080/v1") || SameEndpoint("http://127.0.0.1:8080/v1", "http://127.0.0.1:8081/v1") {
		t.Error("one machine has several names, and its ports are different addresses")
	}
}
