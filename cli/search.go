package cli

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/table"
	"plimsoll/conversation/find"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// Rules of `search`:
//   - Hits are written as they are found, below the title of their conversation. Hits
//     go to standard output, their number to standard error.
//   - Without a hit the exit code is 1, as it is with grep.
//   - On a terminal a hit is one line, and the matched words are visible.

type searchCommand struct {
	*app

	here  bool
	limit int
}

func (cmd *searchCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search all conversations",
		Long: `Search looks through messages, replies with their reasoning, call arguments,
results with their full texts, and titles. A hit contains all words; case does not
matter, and a word also matches inside a longer one. "Quoted words" match as a
phrase; quote once more for the shell. The newest conversation comes first, and in
it the newest message.

Every search reads all conversations, so it also finds messages of a moment ago
and of other windows. The exit code is 1 if nothing was found.`,
		Example: `  plimsoll search upload flaky
  plimsoll search '"port is already in use"' --workspace`,
		Args:              usageArgs(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().BoolVar(&cmd.here, "workspace", false, "only conversations of this workspace")
	c.Flags().IntVarP(&cmd.limit, "limit", "n", 50, "at most `N` hits, and 20 of one conversation; 0 for all")
	return c
}

func (cmd *searchCommand) Run(ctx context.Context, args []string) error {
	q, err := find.Parse(strings.Join(args, " "))
	if err != nil {
		return console.AsUsage(err)
	}
	if cmd.limit < 0 {
		return console.WrongUse("--limit must be 0 or more, not %d", cmd.limit)
	}
	store, err := cmd.Resources.Open()
	if err != nil {
		return err
	}
	options := storage.SearchOptions{Limit: cmd.limit}
	if cmd.limit == 0 {
		options.Limit, options.PerConversation = math.MaxInt, math.MaxInt
	}
	if cmd.here {
		options.Workspace = cmd.Settings.Workspace
	}
	return cmd.writeHits(ctx, store, q, options)
}

// writeHits writes hits as they are found, and at the end how many there were.
func (cmd *searchCommand) writeHits(ctx context.Context, store *storage.Store, q find.Query, o storage.SearchOptions) error {
	started, limit := time.Now(), cmd.Console.TableWidth()
	if limit > 0 {
		o.Chars = max(limit-excerptColumn, 20)
	}
	hits, conversations, id := 0, 0, ""
	var writeErr error
	report, err := store.Search(ctx, q, o, func(h find.Hit) bool {
		if h.Conversation != id {
			id = h.Conversation
			conversations++
			writeErr = cmd.writeLine(limit, h.Conversation+table.Gap+h.Title)
		}
		hits++
		if writeErr == nil {
			writeErr = cmd.writeLine(limit, hitText(h))
		}
		return writeErr == nil
	})
	if err == nil {
		err = writeErr
	}
	if err != nil {
		return err
	}
	cmd.noteUnread(report)
	if hits == 0 {
		cmd.Console.Note("nothing found in %s", numbers.Count(report.Conversations, "conversation"))
		return console.ErrReported
	}
	count, more := numbers.Count(hits, "hit"), ""
	if report.More {
		count, more = "the first "+count, "; --limit 0 shows all"
	}
	fmt.Fprintf(cmd.Console.Stderr, "%s in %d of %s, %.1f s; plimsoll -r ID opens one%s\n", count, conversations,
		numbers.Count(report.Conversations, "conversation"), time.Since(started).Seconds(), more)
	return nil
}

// excerptColumn is about the column at which excerpts begin.
const excerptColumn = 32

// hitText is a hit on one line: "  turn 3 · e41 · user   the text around the match".
func hitText(h find.Hit) string {
	role := h.Who
	if h.Stored {
		role += " (full text)"
	}
	return fmt.Sprintf("  %-26s  %s", fmt.Sprintf("turn %d · e%d · %s", h.Turn, h.Event, role), h.Excerpt)
}

// writeLine writes a line that is safe for a terminal, cut to limit cells; 0 is no limit.
func (cmd *searchCommand) writeLine(limit int, text string) error {
	text = plain.Line(text)
	if limit > 0 {
		text = ansi.Truncate(text, limit, "…")
	}
	if _, err := fmt.Fprintln(cmd.Console.Stdout, text); err != nil {
		return fmt.Errorf("writing hits: %w", err)
	}
	return nil
}

func (cmd *searchCommand) noteUnread(report storage.SearchReport) {
	if report.Unread > 0 {
		cmd.Console.Note("%s could not be read to the end; `plimsoll doctor` says why", numbers.Count(report.Unread, "conversation"))
	}
	if report.Damaged > 0 {
		were := "were"
		if report.Damaged == 1 {
			were = "was"
		}
		cmd.Console.Note("%s %s skipped; `plimsoll doctor` says more", numbers.Count(report.Damaged, "damaged text"), were)
	}
}
