package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/themes"
	"plimsoll/tui/changes"
	"plimsoll/tui/choices"
	"plimsoll/tui/composer"
	"plimsoll/tui/dialog"
	"plimsoll/tui/preview"
	"plimsoll/tui/search"
	"plimsoll/tui/settings"
	"plimsoll/tui/transcript"
)

// Session is the agent of the open conversation. Only Take, Rules and Revoke block; the
// results of the other methods arrive as updates.
type Session interface {
	// Take waits for the next updates and returns all that are pending.
	Take(ctx context.Context) ([]updates.Update, error)

	Send(text string)
	// Add adds a text without requesting a reply: it is sent with the next message.
	Add(text string)
	Cancel()
	// Retry sends the request of the newest turn again, if it has no complete reply.
	Retry()
	// ReturnQueued returns the queued messages to the composer.
	ReturnQueued()
	// Rewind undoes a turn and all after it; -1 is the newest turn. Its message is returned as an update.
	Rewind(turn int)
	// RestoreTurns redoes the turns that were undone last.
	RestoreTurns()
	Answer(callID string, answer conversation.Answer)

	SetMode(mode conversation.Mode)
	Rename(title string)
	// SetProfile sets the default profile for compactions.
	SetProfile(name string)

	// Compact shortens the prompt of the next requests.
	Compact(request edit.Request)
	// Preview computes what Compact would do.
	Preview(request edit.Request)
	// UndoCompaction undoes a compaction by its epoch, 0 for the newest.
	UndoCompaction(epoch uint64)
	// RedoCompaction redoes the compaction that was undone last.
	RedoCompaction()
	// Review accepts the pending summary with the text as the user edited it, or discards it.
	Review(text string, accept bool)

	// Pin pins events, or unpins them.
	Pin(events []uint64, pinned bool)
	// Mask shows a stub in place of the results of events.
	Mask(events []uint64)
	// Inspect computes the breakdown of the window and the forecast.
	Inspect()

	// CheckRules returns what rules would allow if they were granted for a call that
	// waits for approval, without granting them. It is fast enough to be called
	// while the user types. The error says what is wrong with the rules, or that
	// they do not cover the call.
	CheckRules(callID string, rules []string) (conversation.Offer, error)
	// Rules lists the rules in force. It may block. An error says that stored
	// grants cannot be read; the other rules are returned with it.
	Rules(ctx context.Context) ([]conversation.Rule, error)
	// Revoke ends a granted rule. It may block. For a rule of the configuration,
	// the error says which line to remove.
	Revoke(ctx context.Context, r conversation.Rule) error
}

// Conversation is one open conversation.
type Conversation struct {
	ID        string
	Title     string
	Events    []conversation.Event
	Session   Session
	Model     llm.Model
	Meter     meter.Meter // when it was opened; updates replace it
	Mode      conversation.Mode
	Profile   string                // the default for compactions
	Profiles  []Profile             // all profiles, in the order they are offered
	KeepLast  int                   // newest turns that a compaction keeps by default
	ReadOnly  string                // why no message can be sent, "" if one can
	Elsewhere updates.OpenElsewhere // the other window that has it open, if it is read-only
	Waiting   []string              // messages that waited when the program last ended; they return to the composer
	Confined  bool                  // commands run in a sandbox
	NoYolo    bool                  // yolo mode is off, because commands are not confined and the configuration does not allow it
	Notes     []string              // notices shown when it opens
	Keyless   string                // the provider of Model, if it needs a key and has none
	Found     []string              // other models that were found, shown at the first start
	Draft     Draft                 // the stored draft
	Leave     func()                // ends what follows it; only of a task
}

// Draft is unsent text.
type Draft struct {
	Text    string // in the composer
	Stashed string // stashed with a key
}

// Backend is the rest of the program: stored conversations, models, files, pages.
// Its methods run concurrently with the screen and may block; they return when ctx ends.
type Backend interface {
	// Open opens the conversation that the program was started with.
	Open(ctx context.Context) (Conversation, error)
	// Resume leaves the open conversation and continues another.
	Resume(ctx context.Context, id string) (Conversation, error)
	// New leaves the open conversation and begins another.
	New(ctx context.Context) (Conversation, error)
	// Fork leaves the open conversation and continues a copy of it.
	Fork(ctx context.Context) (Conversation, error)
	// ForkAt leaves the open conversation and continues a copy of the messages
	// before an event, by its Seq.
	ForkAt(ctx context.Context, before uint64) (Conversation, error)
	// Delete removes the open conversation for good and begins another.
	Delete(ctx context.Context) (Conversation, error)

	// Conversations lists the stored conversations, newest first. The error of a method for one that is open in another window
	// names that window.
	Conversations(ctx context.Context) ([]Stored, error)
	// LastExchange returns the newest message of the user and the reply, shortened.
	LastExchange(ctx context.Context, id string) (question, reply string, err error)
	// RenameStored renames a conversation that is not open here.
	RenameStored(ctx context.Context, id, title string) error
	// RemoveStored deletes a conversation that is not open here.
	RemoveStored(ctx context.Context, id string) error
	// ForkStored leaves the open conversation and continues a copy of another.
	ForkStored(ctx context.Context, id string) (Conversation, error)

	// Providers lists the providers: those with a key and servers that answer come first.
	Providers(ctx context.Context) ([]Provider, error)
	// Connect tries a key with a request that costs nothing, and stores it. If that
	// fails nothing is stored, and the error says what to do. The next request of the
	// open conversation to that provider uses the new key.
	Connect(ctx context.Context, provider string, key Secret) (Connected, error)
	// Disconnect removes the stored key of a provider, and returns the provider's new state.
	Disconnect(ctx context.Context, provider string) (Provider, error)

	// Settings lists the settings of the open conversation and of the program. Values are written as in the configuration
	// file, texts also without quotes; the error for an invalid value says what is wrong.
	Settings(ctx context.Context) ([]Setting, error)
	// TrySetting computes the effect of a value without changing anything.
	TrySetting(ctx context.Context, key, value string) (SettingEffect, error)
	// ChangeSetting applies a value to the open conversation and records it there, or
	// stores it for the next start, as [Setting.Applies] says.
	ChangeSetting(ctx context.Context, key, value string) error
	// KeepSettings stores values by key as defaults for new conversations, and returns the name of the file.
	KeepSettings(ctx context.Context, set map[string]string) (file string, err error)

	// OwnCommands lists the slash commands of the user's own. The error says which files are passed over; the others are
	// returned with it.
	OwnCommands(ctx context.Context) ([]OwnCommand, error)
	// MakeMessage makes the message of a command. approved lists the commands and files that the user said yes to. The
	// error is a *CommandApproval if another needs a yes; then nothing has run.
	MakeMessage(ctx context.Context, name, args string, approved []string) (string, error)

	// Jobs lists the commands of the model in the background, the newest first, also those that ended. The error of a method
	// for them may be that the conversation is read-only.
	Jobs(ctx context.Context) ([]Job, error)
	// EndJob ends one, and returns when it has ended.
	EndJob(ctx context.Context, id string) error
	// MoveToBackground lets the commands that run in the foreground go on in the background. The error says why none can.
	MoveToBackground(ctx context.Context) error

	// SetFavorite marks a model as a favorite, or removes the mark.
	SetFavorite(ctx context.Context, model string, on bool) error
	// NewWithModel leaves the open conversation and begins another with a model.
	NewWithModel(ctx context.Context, model string) (Conversation, error)
	// Models lists the models to choose from; the usual model of each provider comes first.
	Models(ctx context.Context) ([]ModelChoice, error)
	// SwitchModel sends the next requests to another model; the change arrives as an update.
	SwitchModel(ctx context.Context, name string) error
	// SetWindow sets the window of the model in use, in tokens as the user writes them,
	// and stores it for later runs. The change arrives as an update.
	SetWindow(ctx context.Context, tokens string) error

	// Themes reads the user's own themes. The error says why some could not be read.
	Themes(ctx context.Context) ([]themes.Theme, error)

	// Files lists the files and folders of the workspace that can be mentioned, and looks at the images that are.
	Files(ctx context.Context, images []string) ([]File, error)
	// Skills lists the skills found when the conversation was opened, in the order of their names.
	Skills(ctx context.Context) ([]Skill, error)
	// Tasks lists the tasks of the open conversation, in the order in which they began.
	Tasks(ctx context.Context) ([]Task, error)
	// EndTask ends one of them by its ID, and returns when it has ended.
	EndTask(ctx context.Context, id string) error
	// OpenTask opens one of them by its ID, read-only, with a Leave; the open conversation goes on meanwhile.
	OpenTask(ctx context.Context, id string) (Conversation, error)
	// Memory lists the files with instructions of the open conversation; with replace, their texts replace those in the prompt first.
	Memory(ctx context.Context, replace bool) (Memory, error)
	// Shell runs a command that the user typed and returns its output.
	Shell(ctx context.Context, command string) (string, error)
	// Attach stores images, and returns the text of files, the lists of folders (config/) and lines of
	// files (go.mod:3-9), each with its name, for a message that mentions them. The
	// error is a *MentionError if one of them cannot be read.
	Attach(ctx context.Context, paths []string) (string, error)
	// Page returns a text about the program or the conversation: one of Pages,
	// about is the argument of the command, may be "".
	Page(ctx context.Context, name, about string) (string, error)

	// Prompts returns the prompt history, oldest first.
	Prompts(ctx context.Context) ([]string, error)
	// Remember adds a prompt to the history.
	Remember(ctx context.Context, text string) error
	// KeepDraft stores the draft of a conversation and replaces the one stored before.
	// Open and Resume return it; New returns the draft of a conversation without
	// messages. A draft written while the conversation is read-only (read) is stored
	// separately; it is returned there, and elsewhere if there is no other draft.
	KeepDraft(ctx context.Context, id string, read bool, d Draft) error

	// PlanRewind plans to bring the files of the open conversation back to what they were before a turn; with redo, to undo the
	// newest rewind of files.
	PlanRewind(ctx context.Context, turn int, redo bool) (FilePlan, error)
	// OnDisk compares the files that a conversation changed with their present content, in the same order. kept are the changes
	// of those whose contents were kept.
	OnDisk(ctx context.Context, files []diff.ChangedFile, kept []conversation.FileChange) []changes.File

	// Request rebuilds a request of the open conversation, given the Seq of its usage event.
	Request(ctx context.Context, event uint64) (inspect.RebuiltRequest, error)
	// Search looks for a text in all conversations, the newest first, and stops
	// after a number of hits.
	Search(ctx context.Context, query string) (Found, error)
}

// Provider is a provider of models.
type Provider struct {
	Name     string // as in provider/id
	Label    string // as shown
	Note     string // where its key is, or its server, on one line
	Ready    bool   // it can be used now
	Keyed    bool   // it uses a key, which can be stored
	Stored   bool   // a key is stored
	Variable string // environment variable whose key is used before a stored one; "" if none is set
	KeyPage  string // web page to create a key, "" if unknown
}

// Connected is a provider whose key was stored.
type Connected struct {
	Provider Provider // its new state
	StoredIn string   // what holds the key
}

// What a [Backend] takes and returns for one part of the screen is a type of that part.
type (
	Profile       = preview.Profile      // a way to compact
	Secret        = dialog.Secret        // an API key
	Stored        = choices.Conversation // a conversation that can be resumed
	ModelChoice   = choices.Model        // a model to choose from
	Setting       = settings.Row
	SettingEffect = settings.Effect
	File          = composer.File // a file that can be mentioned
	Found         = search.Found  // the result of a search
	Picture       = transcript.Picture
)

// MentionError says which mentioned file cannot be attached, and why.
type MentionError struct {
	Path string
	Err  error
}

func (e *MentionError) Error() string { return "@" + e.Path + ": " + e.Err.Error() }
func (e *MentionError) Unwrap() error { return e.Err }

// Editor returns a command that runs the user's editor, which uses the terminal meanwhile. done is called after it.
type Editor func(done tea.ExecCallback) tea.Cmd

// Edit prepares the user's editor for a draft. It returns the editor, and a function that reads the text after it ended.
type Edit func(ctx context.Context, draft string) (run Editor, read func() (string, error), err error)

// The pages of a Backend.
const (
	PageTools   = "tools"
	PageMCP     = "mcp"
	PageTodos   = "todos"
	PageSkill   = "skill" // the text of the skill with a path
	PageAgents  = "agents"
	PageCost    = "cost"
	PageConnect = "connect"
	PageDoctor  = "doctor"
	PageStatus  = "status" // model, window, rules in force, files read, cost
	PageExport  = "export" // writes the conversation to a file, and returns a text that says so
	PageShare   = "share"  // as PageExport, a page for a browser; about is what to leave out, and the file
	PageResult  = "result" // the full text of an event, turn or call; for "", of the newest result that was cut
)

// Options configure the screen.
type Options struct {
	Backend Backend
	Edit    Edit
	// EditFile prepares the user's editor for a file; the error says that there is none.
	EditFile func(ctx context.Context, path string) (Editor, error)

	Keys       KeyMap
	Theme      string               // auto, light, dark or a theme's name
	Themes     []themes.Theme       // the user's own themes that could be read
	Colourless bool                 // no colours at all
	Colors     colorprofile.Profile // how many colors the terminal supports
	Mouse      bool
	Motion     bool   // the gauge moves when a compaction lands
	Vim        bool   // vi's keys in the composer
	Panel      string // auto: the panel stands on wide screens, on: wherever it fits, off: after a key
	Progress   bool   // the terminal has a progress bar
	Pictures   Pictures
	// ClipboardImage stores the image in the clipboard as a file and returns its path.
	ClipboardImage func(ctx context.Context) (path string, err error)
	Links          bool // the terminal supports links
	// Notify returns the sequence that makes the terminal show a notification, or "". It
	// may block. nil: no notifications.
	Notify func(ctx context.Context, text string) string
	// OwnStatus runs the command that writes the user's own status line, and returns its first line. It may block; nil: no command.
	OwnStatus func(ctx context.Context, facts StatusFacts) (string, error)
	Workspace string           // for the header
	Pick      bool             // open the list of conversations at start
	Now       func() time.Time // nil: time.Now
}

// env is shared by all parts. It never changes.
type env struct {
	Options
	ctx context.Context // ends with the program; commands take it
}

// keyboard counts keys, so that the result of a command can be dropped if the user pressed another key since.
type keyboard struct {
	textKeys int // keys with text so far, and pastes
	allKeys  int // keys of any kind
}
