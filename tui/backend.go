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
	"plimsoll/conversation/find"
	"plimsoll/themes"
	"plimsoll/tui/changes"
	"plimsoll/tui/choices"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
	"plimsoll/tui/settings"
)

// Session is the agent of the open conversation. No method blocks but Take, Rules
// and Revoke; updates tell what came of the others.
type Session interface {
	// Take waits for the next updates and returns all that are pending.
	Take(ctx context.Context) ([]updates.Update, error)

	Send(text string)
	// Add says something that asks for no reply: it goes with the next message.
	Add(text string)
	Cancel()
	// Retry sends the request of the newest turn again, where it has no whole reply.
	Retry()
	TakeBack()
	// Rewind undoes the turns from one on, negative for the newest; the message of
	// the first of them is returned.
	Rewind(turn int)
	// RestoreTurns redoes the turns that were undone last.
	RestoreTurns()
	Answer(callID string, answer conversation.Answer)

	SetMode(mode conversation.Mode)
	Rename(title string)
	// SetProfile chooses the profile that a compaction has if none is named.
	SetProfile(name string)

	// Compact shortens the prompt of the next requests.
	Compact(w edit.Request)
	// Preview works out what Compact would do.
	Preview(w edit.Request)
	// UndoCompaction undoes a compaction by its epoch, 0 for the newest.
	UndoCompaction(epoch uint64)
	// RedoCompaction redoes the one that was undone last.
	RedoCompaction()
	// Review accepts a summary that waits for the user, with the text as it was
	// edited, or discards it.
	Review(text string, accept bool)

	// Pin keeps events verbatim, or ends that.
	Pin(events []uint64, pinned bool)
	// Mask shows a stub in place of the results of events.
	Mask(events []uint64)
	// Inspect works out how full the window is and why, and what comes next.
	Inspect()

	// Judge says what rules would let run if they were granted for a call that
	// waits for an answer, without granting them. It takes no time and may be
	// called while the user types. The error says what is wrong with the rules, or
	// that they do not cover the call.
	Judge(callID string, rules []string) (conversation.Offer, error)
	// Rules lists the rules in force. It may take its time. An error says that
	// what was granted earlier cannot be read; the other rules are listed all the
	// same.
	Rules(ctx context.Context) ([]conversation.Rule, error)
	// Revoke ends a granted rule. It may take its time. The error of one of the
	// configuration says which line to remove.
	Revoke(ctx context.Context, r conversation.Rule) error
}

// Conversation is one open conversation.
type Conversation struct {
	ID        string
	Title     string
	Events    []conversation.Event
	Session   Session
	Model     llm.Model
	Meter     meter.Meter // as it was opened; updates follow
	Mode      conversation.Mode
	Profile   string            // that a compaction has if none is named
	Profiles  []Profile         // all there are, in the order they are offered
	KeepLast  int               // newest turns that a compaction leaves alone if it does not say
	ReadOnly  string            // why nothing can be said in it, "" if it can
	Elsewhere updates.Elsewhere // who has it open, where it is only read
	Waiting   []string          // messages that waited when the program last ended; they come back to the composer
	Notes     []string          // what the user should know at once
	Keyless   string            // the provider of Model, if it needs a key and has none
	Found     []string          // other models that were found, shown at the first start; no keys
	Draft     Draft             // that was being written in it
}

// Draft is what was written and not sent.
type Draft struct {
	Text    string // in the composer
	Stashed string // put away
}

// Profile is a way to compact.
type Profile struct {
	Name string
	Note string // what it does, on one line
	// Summarises says that a model writes a summary.
	Summarises bool
}

// Backend is everything around the open conversation: the stored ones, models, files,
// pages. Its methods run concurrently with the screen and may take their time; they
// return when ctx ends.
type Backend interface {
	// Open opens the conversation the program was started for.
	Open(ctx context.Context) (Conversation, error)
	Shelf
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

	Connector
	Configurer
	// Favor marks a model as a favorite, or no longer.
	Favor(ctx context.Context, model string, on bool) error
	// Begin leaves the open conversation and begins another with a model.
	Begin(ctx context.Context, model string) (Conversation, error)
	// Models lists those to choose from; of each provider the usual one comes first.
	Models(ctx context.Context) ([]ModelChoice, error)
	// SwitchModel makes requests go to another model from here on; the change
	// arrives as an update.
	SwitchModel(ctx context.Context, name string) error
	// SetWindow says how many tokens the model in use holds, as the user writes it; it
	// is kept for later runs. The change arrives as an update.
	SetWindow(ctx context.Context, tokens string) error

	// Themes reads the user's own themes. The error says why others could not be read.
	Themes(ctx context.Context) ([]themes.Theme, error)

	// Files lists the files and folders of the workspace that can be mentioned.
	Files(ctx context.Context) ([]File, error)
	// Shell runs a command of the user's own and returns its output.
	Shell(ctx context.Context, command string) (string, error)
	// Attach returns the text of files, the lists of folders (config/) and lines of
	// files (go.mod:3-9), each with its name, for a message that mentions them. The
	// error is a *MentionError where one of them cannot be read.
	Attach(ctx context.Context, paths []string) (string, error)
	// Page returns a text about the program or the conversation: one of Pages,
	// about what the user named behind the command, "" for nothing.
	Page(ctx context.Context, name, about string) (string, error)

	// Prompts returns it, oldest first.
	Prompts(ctx context.Context) ([]string, error)
	// Remember adds one.
	Remember(ctx context.Context, text string) error
	// KeepDraft stores what is being written in a conversation, in place of what it
	// stored for it before. Open and Resume bring it back; New brings back what was
	// written where nothing was sent yet. What is written where the conversation is only
	// read is kept apart; it comes back there, and where there is no other draft.
	KeepDraft(ctx context.Context, id string, read bool, d Draft) error

	// OnDisk compares files that a conversation changed with how they are now, in their
	// order.
	OnDisk(ctx context.Context, files []diff.Changed) []changes.File

	// Request makes a request of the open conversation again, by the Seq of the
	// usage that was recorded with it.
	Request(ctx context.Context, event uint64) (inspect.Rebuilt, error)
	// Search looks for a text in all conversations, the newest first, and stops
	// after a number of hits.
	Search(ctx context.Context, query string) (Found, error)
}

// Configurer knows the settings of the open conversation and of the program. A value is
// as it would stand in the configuration file, a text also without quotes; the error of
// one with a mistake says in words what is wrong.
type Configurer interface {
	// Settings lists them.
	Settings(ctx context.Context) ([]Setting, error)
	// TrySetting works out what a value would come to. Nothing changes.
	TrySetting(ctx context.Context, key, value string) (SettingEffect, error)
	// ChangeSetting puts a value in force in the open conversation, of which it stays a
	// part, or keeps it for the next start, as [Setting.Applies] says.
	ChangeSetting(ctx context.Context, key, value string) error
	// KeepSettings keeps values by key for what begins from here on, and names the file
	// that holds them.
	KeepSettings(ctx context.Context, set map[string]string) (file string, err error)
}

// Shelf is the stored conversations. The error of one that is open in another window
// says where.
type Shelf interface {
	// Conversations lists them, newest first.
	Conversations(ctx context.Context) ([]Stored, error)
	// LastExchange returns the newest message of the user and the reply, shortened.
	LastExchange(ctx context.Context, id string) (question, reply string, err error)
	// RenameStored gives one that is not open here a title.
	RenameStored(ctx context.Context, id, title string) error
	// RemoveStored removes one that is not open here for good.
	RemoveStored(ctx context.Context, id string) error
	// ForkStored leaves the open conversation and continues a copy of another.
	ForkStored(ctx context.Context, id string) (Conversation, error)
}

// Connector knows the providers, and keeps their keys.
type Connector interface {
	// Providers lists them: those that have a key and servers that answer come first.
	Providers(ctx context.Context) ([]Provider, error)
	// Connect tries a key with a request that costs nothing, and stores it. The error
	// says what to do, and nothing was stored then. Requests of the open conversation
	// to that provider have the new key from the next one on.
	Connect(ctx context.Context, provider string, key Secret) (Connected, error)
	// Disconnect removes the key that is stored for a provider, and returns the provider
	// as it is then.
	Disconnect(ctx context.Context, provider string) (Provider, error)
}

// Secret is a key; see [overlay.Secret].
type Secret = overlay.Secret

// Provider is one that could be talked to.
type Provider struct {
	Name     string // as in provider/id
	Label    string // for the eye
	Note     string // where its key is, or its server, on one line
	Ready    bool   // it can be talked to now
	Keyed    bool   // a key can be stored for it
	Stored   bool   // one is
	Variable string // of the environment, whose key is used before a stored one; "" if none is set
	KeyPage  string // where to make a key, "" if unknown
}

// Connected is a provider whose key was stored.
type Connected struct {
	Provider Provider // as it is now
	Place    string   // where the key is stored
}

// Stored is a conversation that can be resumed.
type Stored = choices.Conversation

// ModelChoice is a model that could be talked to.
type ModelChoice = choices.Model

// The settings as [Configurer] tells of them.
type (
	Setting       = settings.Row
	SettingEffect = settings.Effect
)

// File is a file that can be mentioned.
type File = composer.File

// IsImage reports whether a path is that of an image, which cannot be mentioned.
func IsImage(name string) bool { return composer.Image(name) }

// MentionError says which mention cannot be part of a message, and why.
type MentionError struct {
	Path string
	Err  error
}

func (e *MentionError) Error() string { return "@" + e.Path + ": " + e.Err.Error() }
func (e *MentionError) Unwrap() error { return e.Err }

// Edit prepares the user's editor for a draft: a command that takes the
// terminal, and how to read what was written when it has ended.
type Edit func(ctx context.Context, draft string) (run tea.ExecCommand, read func() (string, error), err error)

// The pages a Backend knows.
const (
	PageTools   = "tools"
	PageTodos   = "todos"
	PageCost    = "cost"
	PageConnect = "connect"
	PageDoctor  = "doctor"
	PageStatus  = "status" // model, window, rules in force, files read, cost
	PageExport  = "export" // writes the conversation to the file that is named, and says so
	PageResult  = "result" // the full original: by event, turn or call, "" is the newest result that was cut
)

// Found is what a search found.
type Found struct {
	Query string
	Hits  []find.Hit
	// Conversations is how many were searched; More says that there are more hits
	// than were asked for.
	Conversations int
	More          bool
	// Unread is how many conversations could not be read to the end, Damaged how
	// many events and full texts were skipped, as they cannot be read.
	Unread, Damaged int
	Took            time.Duration
}

// Options is what the screen is made of.
type Options struct {
	Backend Backend
	Edit    Edit

	Keys       KeyMap
	Theme      string               // auto, light, dark or a theme's name
	Themes     []themes.Theme       // of the user's own, as far as they are read
	Colourless bool                 // no colours at all
	Colors     colorprofile.Profile // how many colors the terminal says that it shows
	Mouse      bool
	Progress   bool // the terminal has a progress bar of its own
	Links      bool // the terminal knows links
	// Notify returns what to write to the terminal to call the user back, "" for nothing. It
	// may be slow. nil: the user is not called.
	Notify func(ctx context.Context, text string) string
	Place  string           // the workspace, for the header
	Pick   bool             // begin by choosing the conversation to continue
	Now    func() time.Time // nil: time.Now
}

// env is what every part is handed. It never changes.
type env struct {
	Options
	ctx context.Context // ends with the program; commands take it
}

// zone is the user's time zone.
func (e *env) zone() *time.Location { return e.Now().Location() }

// keyboard counts keys, so that what was asked for with one can tell whether another
// followed.
type keyboard struct {
	pressed int // keys with text so far, pastes among them
	any     int // keys of any kind
}
