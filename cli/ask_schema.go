package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"

	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
)

const maxSchema = 32 << 10 // bytes; every request records the schema

// connect connects to the model for a conversation, and reads the schema of its replies. A model that takes none is wrong use.
func (cmd *askCommand) connect(ctx context.Context, id string) (setup.Connection, conversation.RawJSON, error) {
	schema, err := cmd.schema()
	if err != nil {
		return setup.Connection{}, nil, err
	}
	conn, err := cmd.Models.ConnectFor(ctx, id, false)
	if why := openai.RefusesSchema(conn.Model.Provider, conn.Model.ID); err == nil && schema != nil && why != "" {
		err = console.WrongUse("--output-schema: %s; choose another model with --model", why)
	}
	return conn, schema, err
}

// schema reads the file of --output-schema, nil without one.
func (cmd *askCommand) schema() (conversation.RawJSON, error) {
	if cmd.schemaFile == "" {
		return nil, nil
	}
	path := cmd.Console.Expand(cmd.schemaFile, cmd.Console.Dir)
	file, err := os.Open(path)
	if err != nil {
		return nil, console.WrongUse("--output-schema: %v", err)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSchema+1))
	_ = file.Close() // opened for reading
	var fields map[string]any
	var compact bytes.Buffer
	if err != nil || len(data) > maxSchema || json.Unmarshal(data, &fields) != nil || fields == nil || json.Compact(&compact, data) != nil {
		return nil, console.WrongUse("--output-schema: %s holds no JSON object of at most %d KiB", path, maxSchema>>10)
	}
	return compact.Bytes(), nil
}

// printer returns the printer of the turn. Replies by a schema are for scripts, and not rendered.
func (cmd *askCommand) printer(schema conversation.RawJSON) *turnPrinter {
	p := newTurnPrinter(cmd.Console, cmd.json)
	if schema != nil && p.lines == nil {
		p.reply = &console.Reply{Out: cmd.Console.Stdout}
	}
	return p
}
