package mcp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoTimeCountsWhileTheUserIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{config: Config{Timeout: time.Second}, live: t.Context()}
		ctx, heard, stop := s.patience(t.Context())
		defer stop()
		heard()
		if err := s.ask(ctx, func(asked context.Context) (bool, error) {
			time.Sleep(time.Hour / 2)
			return false, asked.Err()
		}); err != nil || ctx.Err() != nil {
			t.Errorf("while the user was asked: %v, %v", err, context.Cause(ctx))
		}
		asked := time.Now()
		<-ctx.Done()
		if took := time.Since(asked); took > 2*time.Second || !errors.Is(context.Cause(ctx), errTimeout) {
			t.Errorf("after the answer it ended in %v: %v", took, context.Cause(ctx))
		}
	})
}
