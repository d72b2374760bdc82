package storagetest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/storage/storagetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	storagetest.Suite(t, func(t *testing.T) storagetest.Harness {
		m := &storagetest.Memory{}
		return storagetest.Harness{
			Create: func(ctx context.Context, id string) (storagetest.Log, error) {
				return m.Create(ctx, storage.NewConversation{ID: id, Workspace: "/w"})
			},
			Open: func(ctx context.Context, id string) (storagetest.Log, *conversation.Partial, error) {
				l, err := m.OpenWriter(ctx, id)
				if err != nil {
					return nil, nil, err
				}
				if p, ok := l.Partial(); ok {
					return l, &p, nil
				}
				return l, nil, nil
			},
			Load: m.Load, Partial: m.Partial, Blob: m.Blob,
		}
	})
}

func TestMemoryFailsWhenAskedTo(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	failing := "append"
	m := &storagetest.Memory{Fault: func(op string) error {
		if op == failing {
			return full
		}
		return nil
	}}
	l, err := m.Create(t.Context(), storage.NewConversation{})
	if err != nil {
		t.Fatal(err)
	}
	var log conversation.Log
	events := log.Prepare(time.Unix(0, 0), conversation.UserMessage{Text: "hello"})
	if err := l.Append(t.Context(), events); !errors.Is(err, full) {
		t.Errorf("error is %v, want the fault", err)
	}
	failing = ""
	if err := l.Append(t.Context(), events); err != nil {
		t.Errorf("the same append without the fault: %v", err)
	}
	failing = "calibration"
	if err := m.SaveCalibration(t.Context(), "e m", conversation.Calibration{}); !errors.Is(err, full) {
		t.Errorf("error is %v, want the fault", err)
	}
}
