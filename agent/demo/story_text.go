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
	{"Tokens, and why nobody counts words", []string{
		"Models read *tokens*: pieces of text that were frequent enough in training to get a number of their own. A short English word is usually one token, a long one two or three. Source code needs more, because of its signs and indentation; Chinese and Japanese often take one token for every character.",
		"That is why a rule of thumb such as four characters a token is good for a first look and bad for a decision. The same 10,000 characters may be 2,400 tokens of prose, 3,100 tokens of Go, or 9,000 tokens of Korean. Only the server that runs the model knows, and it says so after the request, in the field `usage`.",
		"```text\n\"The ship is loaded.\"   ->  The | ship | is | loaded | .\n\"func (s *Server) Close\" ->  func | (s | * | Server | ) | Close\n```",
	}},
	{"Why everything is sent every time", []string{
		"Because the model remembers nothing, each request repeats the whole conversation and adds a little at its end. A session of forty steps does not cost forty messages; it costs the sum of one, two, three and so on up to forty. Doubling the length of a conversation makes it about four times as expensive, if nothing is done about it.",
		"Tools make this steeper. One request to fix a bug may lead to twenty calls, and each of them is a request of its own that carries all results so far. What looks like one question on the screen is a long ladder behind it, and every rung is as wide as everything below it.",
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
	{"What breaks a prefix", []string{
		"- a date or a clock in the system prompt\n- tools that are declared in another order, or come and go\n- a list that is printed from a hash table\n- an edited message in the middle of the history\n- a summary that replaces the beginning\n- a change of model",
		"Some of these are worth it and most are accidents. The worst are those nobody notices, such as a timestamp that changes each minute: everything works, and the bill is five times as high as it could be.",
		"For the same reason it is better to make room in one large step than in many small ones. Each step breaks the prefix once, whatever it saves. Removing a little before each request is dearer than removing nothing at all.",
	}},
	{"The price of a long talk", []string{
		"Three prices matter: for tokens the model reads anew, for tokens it reads from the cache, and for tokens it writes. Written ones are the dearest, often five times as much as read ones, yet in long sessions the reading dominates, simply because there is so much of it and it happens again and again.",
		"Patience is a price too. A local model on a laptop may read three hundred tokens a second. A prompt of thirty thousand is then a hundred seconds of silence before the first word, unless the cache holds most of it.",
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
	{"The good moment", []string{
		"Making room changes the beginning of the request, and the provider reads everything behind that place anew. During work that is a price. After a pause it is none: the cache has gone *cold*, and the next request is read from scratch anyway.",
		"So a step is made before the first request after a long pause, also while the gauge is well below the load line. The gauge says when the cache is cold, and the context view how far such a step would go.",
	}},
	{"What a good summary keeps", []string{
		"A summary for a model is not an abstract for a reader. It is a handover between two shifts, and should hold what the next shift cannot find out again by looking:\n\n- the goal, in the words of the person who set it\n- constraints and preferences that are still in force\n- decisions, **with their reasons**\n- what was done, with exact paths and names\n- what went wrong, and what helped\n- what is open, and what comes next",
		"What it may leave out is everything that can be looked up: the text of files, the output of commands, the steps that led nowhere. And it must keep names as they are. A path that is nearly right is worse than none.",
	}},
	{"Undo", []string{
		"If the log is never changed, making room is only a change of view. Each reduction is itself an entry: from here on, show these results as stubs, show these turns as that summary. To undo it, another entry says that the first no longer counts.",
		"This makes a kind of trust possible that no setting can give. You can let the program act on its own, look at what it did, and undo it with a key. You can also ask what exactly the model saw when it gave that strange answer at half past three, because the view is computed from the log and can be computed again.",
	}},
	{"Guessing and knowing", []string{
		"Before a request is sent, its size is an estimate. After the reply it is a fact: the server reports how many tokens it read. A good meter anchors on the newest fact and estimates only what came after it, and it marks every estimate with a `~`, so that nobody mistakes one for the other.",
		"It also learns. When the first report comes back, the estimate and the truth can be compared, and the difference is mostly a property of the model and the language. The next guess is better by that factor.",
	}},
	{"Reasoning", []string{
		"Some models write down thoughts before they answer. These are tokens like any others: they cost as much as the reply, they count against its limit, and they can be ten times as long. A limit that was comfortable for answers may be used up before the answer begins, and what comes back is empty.",
		"Most providers want the thoughts of earlier turns left out of the next request. A few want them back, letter for letter, as long as a tool call is open. It is one of those rules that are easy to follow and hard to guess.",
	}},
	{"When it does not fit", []string{
		"A request that is too large is answered with an error, and every server words it differently. The good ones give numbers:\n\n```json\n{\"error\": {\"type\": \"exceed_context_size_error\", \"n_prompt_tokens\": 9120, \"n_ctx\": 8192}}\n```",
		"That is more than a refusal: it tells the size of the window, which may be smaller than anyone had written down. The right answer is to note it, make room, and try once more, and only if the request has really become smaller. Trying the same thing again is how a program burns a day's budget in an hour.",
		"If the window fills up in the middle of a reply, there is no error. The text just ends, with the finish reason `length`. It deserves to be said plainly, since half a program looks much like a whole one.",
	}},
	{"Small windows", []string{
		"Local models are often started with a window far below what they were trained for, because every token of it takes memory. Four or eight thousand tokens are common. The descriptions of a dozen tools can fill a quarter of that before anyone has said a word.",
		"With a small window everything that matters in a large one happens within minutes, and that makes it a good place to learn. It is also why this demo model has a small one: what you see here at the end of a story takes an afternoon elsewhere.",
	}},
	{"Cutting in the right place", []string{
		"A conversation is not a string that can be cut anywhere. A call and its result belong together: providers refuse a history in which a result answers nothing, or a call was never answered. An assistant's message with four calls and the four results after it is *one* unit, and cuts fall only between units.",
		"The newest part is left alone altogether. It is what the person is talking about. A summary of the last two minutes would be a strange way to be listened to.",
	}},
	{"Attention is not free", []string{
		"A window of a million tokens can hold a library, and that does not mean that all of it is read with the same care. Models find what stands at the beginning and at the end more reliably than what is buried in the middle, and they are distracted by text that resembles the answer without being it.",
		"So less can be more, even where there is room. Throwing out what is stale makes the rest easier to find. The best use of a large window is to have the *right* sixty thousand tokens in it.",
	}},
	{"Habits of people who talk for hours", []string{
		"1. Start a new conversation for a new matter; what is not there costs nothing.\n2. Ask for the part of the file you need, not for the file.\n3. Let commands print less: a failing test, not the whole run.\n4. Write decisions down in a file, where they survive every summary.\n5. Look at the gauge before a large step, not after it.",
		"None of this is needed to use the program, as none of it is needed to sail a ship on a calm day. It shows its worth in the seventh hour.",
	}},
}
