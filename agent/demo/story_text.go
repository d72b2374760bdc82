package demo

// chapter is a part of the story: paragraphs of Markdown, each of which can
// stand at the end.
type chapter struct {
	title string
	body  []string
}

// chapters are what the program can tell about windows, caches and load lines.
var chapters = []chapter{
	{"What a context window is", []string{
		"A language model has no memory of its own between two requests. Everything it is to know about a conversation has to be in the request: the instructions, the descriptions of the tools, every message so far, and every result that a tool has brought back. The **context window** is the most it can take in at once, prompt and reply together.",
		"A window is not a shelf that holds the newest things and lets the oldest fall off. It is a limit on one request. If the request is larger, an honest server refuses it, and a less honest one quietly leaves out the beginning, which is where the task was explained.",
	}},
	{"What fills a window", []string{
		"People expect their own words to weigh most. They hardly ever do. In a session with tools the order is nearly always this:\n\n1. results of tools: files, listings, the output of commands\n2. the model's own replies, above all code it wrote out in full\n3. its reasoning, where that is sent back\n4. the system prompt and the descriptions of the tools\n5. what the user typed",
		"The first place is often more than half of the whole. A single careless `cat` of a log file can weigh more than an hour of talk, and it is sent again with every later step, long after anybody looked at it.",
		"So the meter shows segments and not only one number. A bar that is 70% full of old results calls for another remedy than one that is 70% full of a conversation you still need.",
	}},
	{"The load line of a ship", []string{
		"In the nineteenth century ships were lost every winter because they had been loaded until they barely floated. The owners were insured; the crews were not. Samuel Plimsoll, a member of the British parliament, made this his cause, and in 1876 a law obliged ships to carry a mark that shows how deep they may lie in the water.",
		"The mark is a circle with a line through it. Beside it stands a ladder of shorter lines, because water does not carry everywhere alike: salt water bears more than fresh, and a summer sea forgives more than the North Atlantic in winter.\n\n| mark | meaning |\n|---|---|\n| TF | tropical fresh water |\n| F | fresh water |\n| T | tropical |\n| S | summer |\n| W | winter |\n| WNA | winter, North Atlantic |",
		"What makes the idea great is where the mark is: outside, on the hull, where a docker, an inspector and the crew can see it *before* the ship leaves. Nobody has to open a ledger or trust a figure. You look at the water and at the line.",
	}},
	{"The load line of a conversation", []string{
		"A context window fills as a hold does: unseen, a little at a time, by people who are busy with something else. This program draws a line on its gauge at the place where it will act, by default at 85% of a large window and a little higher in a small one, and always shows how far below it you are.",
		"The space above the line is not waste. The reply needs room, a tool may bring back more than anyone expected, and the request that makes a summary has to fit as well. A ship that is loaded to the deck cannot take a single wave.",
	}},
	{"Prompt caches", []string{
		"Reading a long prompt is work that can be kept. If two requests begin with the same tokens, the server can reuse what it computed for the first when it reads the second. Providers charge a fraction for tokens that were read from such a cache, commonly a tenth to a half, and answer sooner.",
		"The condition is strict: the *beginning* has to be the same, token for token. One changed word near the start makes everything after it new. A conversation that only grows at its end is the best case there is, because each request is the one before plus a little more.",
		"Caches also forget. Some keep a prefix for five minutes after it was last used, some for an hour, some for as long as nobody else needs the space. After lunch the first request is often read from scratch.",
	}},
	{"Results, the heaviest cargo", []string{
		"The result of a tool has a short life. It matters a great deal in the step after it arrived, somewhat in the next few, and then mostly not at all: the file has been changed since, the listing was only needed to find a name, the test output has been understood.",
		"What remains useful is the trace: that this file was read, that this command failed, and how to see it again. A line of thirty tokens says that as well as a page of three thousand. This is what a *mask* does. The result is replaced by a stub in what the model sees, and stays whole in the log.",
		"> A mask hides; it does not delete. The stub names an ID, and with it the model can fetch the original when it turns out to be needed after all.",
	}},
	{"Evict first, then summarize", []string{
		"Three ways to make room are common. One hides old results behind stubs. One leaves the oldest turns out as a whole. The third asks a model for a summary and sends that in place of the beginning. The first two cost nothing, take no time and invent nothing; the third reads better, and is a text that somebody wrote about what happened.",
		"Studies that compared them on programming tasks found hiding at least as good as a summary, at about half the cost. One reason is sobering: a smooth summary hides that the work is stuck. A model that reads how it failed three times tries something else, and one that reads *several approaches were explored* explores them again.",
		"So the plain way comes first here: the oldest turns are *evicted* in one step. A summary joins it where there is time to write one.",
	}},
	{"What stands for evicted turns", []string{
		"What is evicted is not forgotten. A **note** stands in its place, and the program writes it without a model: what was done in which turn, which files were read and written, what you demanded, in your own words, and an index of the names that are no longer in sight.",
		"Every line of the note names the turn or the event that it comes from. A model that needs the original asks for it by that name, and gets it word for word. So what a model has to know stays small, and what it can find out stays complete.",
	}},
	{"Undo", []string{
		"If the log is never changed, making room is only a change of view. Each reduction is itself an entry: from here on, show these results as stubs, show these turns as that summary. To undo it, another entry says that the first no longer counts.",
		"This makes a kind of trust possible that no setting can give. You can let the program act on its own, look at what it did, and undo it with a key. You can also ask what exactly the model saw when it gave that strange answer at half past three, because the view is computed from the log and can be computed again.",
	}},
	{"Guessing and knowing", []string{
		"Before a request is sent, its size is an estimate. After the reply it is a fact: the server reports how many tokens it read. A good meter anchors on the newest fact and estimates only what came after it, and it marks every estimate with a `~`, so that nobody mistakes one for the other.",
		"It also learns. When the first report comes back, the estimate and the truth can be compared, and the difference is mostly a property of the model and the language. The next guess is better by that factor.",
	}},
	{"Small windows", []string{
		"Local models are often started with a window far below what they were trained for, because every token of it takes memory. Four or eight thousand tokens are common. The descriptions of a dozen tools can fill a quarter of that before anyone has said a word.",
		"With a small window everything that matters in a large one happens within minutes, and that makes it a good place to learn. It is also why this demo model has a small one: what you see here at the end of a story takes an afternoon elsewhere.",
	}},
	{"Cutting in the right place", []string{
		"A conversation is not a string that can be cut anywhere. A call and its result belong together: providers refuse a history in which a result answers nothing, or a call was never answered. An assistant's message with four calls and the four results after it is *one* unit, and cuts fall only between units.",
		"The newest part is left alone altogether. It is what the person is talking about. A summary of the last two minutes would be a strange way to be listened to.",
	}},
}
