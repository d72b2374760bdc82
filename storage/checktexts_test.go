package storage_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// isMissingText reports whether a finding is about lost texts, which cannot be repaired.
func isMissingText(f storage.Finding) bool {
	return !f.Repairable && strings.Contains(f.What, "are missing")
}

// conversationWithTexts stores a conversation whose events name five texts, and returns their names: the system prompt,
// the tools and three results, the last of which is named twice.
func conversationWithTexts(t *testing.T) (s *storage.Store, path string, names []string) {
	t.Helper()
	s = openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	for _, text := range []string{"You are careful.", "[]", "one heron", "two herons", "three ibises"} {
		name, err := c.w.PutBlob(t.Context(), text)
		must(t, err)
		names = append(names, name)
	}
	c.add(conversation.Instructions{System: names[0], Tools: names[1]})
	for _, name := range append(names[2:], names[4]) {
		c.add(conversation.ToolResult{CallID: "x", Tool: "grep", Status: conversation.ResultOK, Text: "part of it", Total: 500, Blob: name})
	}
	c.close()
	return s, filepath.Join(s.Dir(), "conversations", idA+".db"), names
}

func deleteTexts(t *testing.T, path string, names ...string) {
	t.Helper()
	editFile(t, path, func(tx *bbolt.Tx) error {
		var all []error
		for _, name := range names {
			all = append(all, tx.Bucket([]byte("blobs")).Delete([]byte(name)))
		}
		return errors.Join(all...)
	})
}

func TestMissingTextsAreReported(t *testing.T) {
	t.Parallel()
	s, path, names := conversationWithTexts(t)
	if findings := checkStore(t, s); len(findings) > 0 {
		t.Fatalf("findings with all texts: %+v", findings)
	}
	deleteTexts(t, path, names[1], names[3], names[4])
	want := []storage.Finding{
		{File: path, ID: idA, What: "2 of 3 full texts of results are missing, the first is that of event 4; " +
			"the part the model was shown is intact, the rest is lost"},
		{File: path, ID: idA, What: "1 of 2 texts of system prompts and tools are missing, the first is that of event 2; " +
			"all messages are intact, but requests from that time cannot be rebuilt"},
	}
	findings := checkStore(t, s)
	if d := cmp.Diff(want, findings, cmpopts.IgnoreUnexported(storage.Finding{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	out, err := s.Repair(t.Context(), findings)
	if d := cmp.Diff(want, out, cmpopts.IgnoreUnexported(storage.Finding{})); d != "" || err != nil {
		t.Errorf("%v, after a repair (-want +got)\n%s", err, d)
	}
	events, report, err := s.Load(t.Context(), idA)
	if err != nil || len(report.Damaged) > 0 || events[3].Body.(conversation.ToolResult).Text != "part of it" {
		t.Errorf("loading: %v, report %+v, want the cut text: %+v", err, report, events)
	}
}
