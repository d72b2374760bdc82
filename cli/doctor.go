package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/doctor"
)

// Doctor checks everything that the program depends on, and continues after problems: with a wrong configuration it uses the
// defaults for the other checks. It shows the names of variables that hold keys, never a key. The exit code is 1 for damage
// that is not repaired, 2 for a wrong configuration; a missing key is no error.

// doctorCommand checks what the program depends on.
type doctorCommand struct {
	*app

	repair bool
}

func (cmd *doctorCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, stored conversations, keys, servers and terminal",
		Long: `Doctor looks at the configuration, reads every stored conversation, and says which
keys it found in the environment (their names only), which servers answer on this
machine, what the terminal can do and where the log is.

It ends with 1 if stored files are damaged. With --repair what can be read of a
damaged file is copied into a new one; the damaged one is kept beside it.`,
		Example: `  plimsoll doctor
  plimsoll doctor --repair`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.repair, "repair", false, "repair what can be repaired")
	return c
}

func (cmd *doctorCommand) Run(ctx context.Context) error {
	bar := console.NewProgress(cmd.Console.Stderr, "reading the stored conversations")
	d, err := (&doctor.Examiner{Parts: cmd.Parts}).Diagnose(ctx, cmd.repair, bar.Show)
	bar.Clear()
	if err != nil {
		return err
	}
	_, err = io.WriteString(cmd.Console.Stdout, d.Text)
	switch {
	case err != nil:
		return err
	case d.Damaged:
		return console.ErrReported
	case d.Config != nil:
		return console.AsUsage(console.ErrReported)
	}
	return nil
}
