package storage_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// lost reports whether a finding is about texts that are gone for good.
func lost(f storage.Finding) bool { return !f.Repairable && strings.Contains(f.What, "are missing") }

// losing is a closed conversation that names five texts, all of which are stored, and
// the names of those: of the system prompt, the tools and of three results, the last
// of which is named twice.
func losing(t *testing.T) (s *storage.Store, path string, names []string) {
	t.Helper()
	s = openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	for _, text := range []string{"You are careful.", "[]", "one heron", "two herons", "three ibises"} {
		name, err := c.w.PutBlob(t.Context(), text)
		must(t, err)
		names = append(names, name)
	}
	c.say(conversation.Instructions{System: names[0], Tools: names[1]})
	for _, name := range append(names[2:], names[4]) {
		c.say(conversation.ToolResult{CallID: "x", Tool: "grep", Status: conversation.ResultOK, Text: "part of it", Total: 500, Blob: name})
	}
	c.close()
	return s, filepath.Join(s.Dir(), "conversations", idA+".db"), names
}

// lose removes stored texts.
func lose(t *testing.T, path string, names ...string) {
	t.Helper()
	edit(t, path, func(tx *bbolt.Tx) error {
		var all []error
		for _, name := range names {
			all = append(all, tx.Bucket([]byte("blobs")).Delete([]byte(name)))
		}
		return errors.Join(all...)
	})
}

func TestTextsThatAreMissingAreFound(t *testing.T) {
	t.Parallel()
	s, path, names := losing(t)
	if findings := check(t, s); len(findings) > 0 {
		t.Fatalf("with all texts: %+v", findings)
	}
	lose(t, path, names[1], names[3], names[4])
	findings := check(t, s)
	if len(findings) != 1 || !lost(findings[0]) || !strings.HasPrefix(findings[0].What, "3 full texts that events name are missing, the first is that of event 2") {
		t.Fatalf("%+v", findings)
	}
	if out, err := s.Repair(t.Context(), findings); err != nil || out[0].Repaired || out[0].Note != "" {
		t.Errorf("%+v, %v", out, err)
	}
	events, report, err := s.Load(t.Context(), idA)
	if err != nil || len(report.Damaged) > 0 || events[3].Body.(conversation.ToolResult).Text != "part of it" {
		t.Errorf("%v, %+v, %+v", err, report, events)
	}
}
