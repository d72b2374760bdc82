package e2e_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first start without a key or a server: choose a provider, paste a wrong key, then a right one, choose a model, get a
// reply. The key is stored in one file, and never written to the terminal.
func TestFirstStartConnectsAProviderAndGetsAReply(t *testing.T) {
	t.Parallel()
	const wrong = "sk-e2e-wrong-11112222"
	s := newServer(t, textReply("It works."))
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("Authorization"); key != "Bearer "+secret {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"Incorrect API key provided: ` + key + `","code":"invalid_api_key"}}`))
			return
		}
		s.serve(w, r)
	}))
	t.Cleanup(door.Close)
	p := newSandbox(t, nil)
	term := p.start(size{100, 30}, "--cfg", "providers.openai.base_url="+door.URL+"/v1", "--cfg", "providers.openai.wire=chat", "--cfg", "log.level=debug")
	term.awaitText("Connect a real model: enter")
	term.press("enter")
	term.awaitText("Connect: choose a provider", "❯ openai")
	term.press("enter")
	term.awaitText("Connect openai", "paste it here")
	term.paste(wrong)
	term.awaitText("21 characters, ends in 2222")
	term.press("enter")
	term.awaitText("Key refused", "Check that it was copied whole")
	term.paste(secret)
	term.press("enter")
	term.awaitText("The key works. It is stored in ", "❯ openai/gpt-")
	term.press("enter")
	term.awaitText("openai/gpt-")
	term.sendMessage("hello")
	term.awaitIdle("It works.")
	p.quit(term)
	for _, key := range []string{secret, wrong} {
		if strings.Contains(term.written(), key) {
			t.Errorf("%s was written to the terminal", key)
		}
	}
	if got := filesWith(t, p.root, secret); len(got) != 1 || filepath.Base(got[0]) != "keys.json" {
		t.Errorf("the key is in %q", got)
	} else if info, err := os.Stat(got[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its file has the mode %v, %v", info.Mode(), err)
	}
	if got := filesWith(t, p.root, wrong); len(got) != 0 {
		t.Errorf("the wrong key is in %q", got)
	}
}

// filesWith lists the files below a folder that contain a text.
func filesWith(t *testing.T, root, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(text)) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
