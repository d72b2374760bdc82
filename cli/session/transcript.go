package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"

	"plimsoll/cli/console"
)

// Compaction uses two things outside the conversation: other models that write summaries, and a file that receives the history
// before a summary replaces it.

// summaryModels returns a function that connects to the model that a profile names for its summaries. Its last result is
// false if that fails or the model's key is missing.
func (r *Running) summaryModels(ctx context.Context) func(name string) (llm.Model, llm.Provider, bool) {
	ctx = context.WithoutCancel(ctx)
	in := r.Connection.Choice() // when the conversation was opened
	return func(name string) (llm.Model, llm.Provider, bool) {
		c, err := r.Agents.Providers.ChoiceByName(name)
		if err == nil && c.Provider == in.Provider && c.Address() == "" {
			c.BaseURL = in.BaseURL // the model is on the server in use
		}
		if err == nil {
			err = r.Agents.Providers.CheckKey(c)
		}
		if err != nil {
			return llm.Model{}, nil, false
		}
		conn, err := r.Agents.Models.Connect(ctx, c)
		return conn.Model, conn.Provider, err == nil
	}
}

// SaveTranscript writes the view to a file, one message a line, before a summary replaces it (preset jcli). Only the user can
// read the file.
func (c *Conversations) SaveTranscript(ctx context.Context, view projection.View) (path string, err error) {
	dir := c.Settings.Paths.Transcripts()
	var lines bytes.Buffer
	for i := range view.Messages {
		err = errors.Join(err, console.WriteLine(&lines, NewRow(&view.Messages[i])))
	}
	if err = errors.Join(err, ctx.Err(), os.MkdirAll(dir, 0o700)); err != nil {
		return "", fmt.Errorf("saving the transcript: %w", err)
	}
	for unix := time.Now().Unix(); ; unix++ { // if a file of this second exists, the next second is tried
		path = filepath.Join(dir, fmt.Sprintf("transcript_%d.jsonl", unix))
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			_, err = f.Write(lines.Bytes())
			err = errors.Join(err, f.Sync(), f.Close())
		}
		if err != nil {
			_ = os.Remove(path) // an incomplete file is useless
			return "", fmt.Errorf("saving the transcript: %w", err)
		}
		return path, nil
	}
}
