package demo

import (
	"regexp"
	"sync"
)

// The rules are tried in order: those with the most particular verbs first.

// Building blocks. A path may be quoted and may carry the @ of a mention.
const (
	filler    = "(?:(?:the|a|an|my|our|your|this|me|all|whole|entire|file|files|folder|directory|dir|contents?|of|in|called|named)\\s+)*"
	pathBody  = "[^\\s`\"',;]+"
	pathWord  = "[`\"'@]*(?P<path>" + pathBody + ")[`\"']*"
	otherWord = "[`\"'@]*(?P<other>" + pathBody + ")[`\"']*"
	lineRange = `(?:,?\s+(?:from\s+|at\s+|around\s+)?(?:lines?\s+)?(?P<from>\d+)(?:\s*(?:-|–|to|until|through|and|\.\.)\s*(?:line\s+)?(?P<to>\d+))?(?:\s+lines?)?)?`
	project   = `(?:project|repo|repository|codebase|code|workspace|folder|directory|program)`
)

// rule is one pattern; its named groups fill the intent's fields.
type rule struct {
	kind    kind
	pattern *regexp.Regexp
	accept  func(*intent) bool // nil accepts every match
}

func on(k kind, pattern string) rule {
	return rule{kind: k, pattern: regexp.MustCompile(`(?is)^(?:` + pattern + `)$`)}
}

func onPath(k kind, pattern string) rule {
	r := on(k, pattern)
	r.accept = func(in *intent) bool { return looksLikePath(in.Path) }
	return r
}

// rules are compiled when the first message comes, not when the program starts.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		on(kindHelp, `(?:/?help|\?+|commands?)\b.*|what (?:can|do) you (?:do|know)\b.*|(?:who|what) are you\b.*|are you (?:an? )?(?:ai|bot|robot|real|human|llm|language model|model)\b.*|what (?:should|can) i (?:do|try|ask)\b.*|how do(?:es)? (?:you|this|it) work\b.*`),
		on(kindGreeting, `(?:hi|hello|hey|yo|howdy|good (?:morning|evening|afternoon|day)|thanks?|thank you|cheers|bye|goodbye|test|ping)\b[\s\pP]*(?:there|you|again|very much|everyone)?[\s\pP]*`),
		on(kindRecall, `recall\s+(?:id\s+|event\s+|turn\s+)?[`+"`"+`"'\[]*(?P<path>[^\s`+"`"+`"'\]]+)[`+"`"+`"'\]]*(?:\s+(?:(?:and\s+)?(?:search|look)\s+for|for|about|query)?\s*(?P<text>.+))?`),
		on(kindTodoShow, `(?:show|list|read|see|what(?:'s| is| are)?|which)?\s*(?:me\s+|on\s+|my\s+|the\s+|your\s+|open\s+|all\s+)*to-?dos?(?:[ -]?list)?(?:\s+(?:list|do i have|are (?:there|open|left)))?`),
		on(kindTodoAdd, `(?:add|new|create|make|put)\s+(?:a\s+|an\s+|another\s+|new\s+|to\s+|the\s+|my\s+)*to-?do(?:s|[ -]?list|\s+item)?\s*(?:to\b|for\b|that\b|:|,|-)?\s*(?P<text>.+)`),
		on(kindTodoAdd, `(?:add|put)\s+(?P<text>.+?)\s+(?:to|on|in|onto)\s+(?:the\s+|my\s+|your\s+)?to-?do(?:s|[ -]?list)?|to-?do:\s*(?P<other>.+)`),
		on(kindTodoDone, `(?:mark|tick off|tick|finish|complete|close)\s+(?:the\s+)?to-?do\s*:?\s*(?P<text>.+?)(?:\s+(?:as\s+)?(?:done|finished|completed?))?|mark\s+(?P<other>.+?)\s+(?:as\s+)?(?:done|finished|completed?)`),
		on(kindTests, `(?:run|execute|start)\s+(?:the\s+|all\s+|my\s+|our\s+|unit\s+)*(?:tests?|test suite|checks?)`),
		on(kindRun, `(?:run|execute|exec|[$!])\s*(?:(?:the\s+|this\s+|a\s+)?(?:shell\s+)?command\b:?\s*)?(?P<text>\S.*)`),
		onPath(kindReplace, `(?:replace|change|substitute|rename)\s+(?P<text>.+?)\s+(?:with|by|to|into|->|→)\s+(?P<with>.*?)\s+in\s+`+filler+pathWord),
		onPath(kindReplace, `in\s+`+filler+pathWord+`,?\s+(?:replace|change|substitute|rename)\s+(?P<text>.+?)\s+(?:with|by|to|into|->|→)\s+(?P<with>.*)`),
		onPath(kindCreate, `(?:create|write|make|add|save)\s+(?:new\s+)?`+filler+`(?:new\s+file\s+)?`+pathWord+`(?:\s+(?:with|containing|that says|saying)(?:\s+the)?(?:\s+(?:text|contents?|words|line))?:?\s+|\s*:\s*)(?P<text>.+)`),
		onPath(kindCreate, `(?:write|save|put)\s+(?P<text>.+?)\s+(?:to|into|in)\s+`+filler+pathWord),
		onPath(kindCreate, `(?:create|make)\s+(?:new\s+|an?\s+empty\s+)?`+filler+`(?:new\s+file\s+)?`+pathWord),
		on(kindCompare, `(?:compare|diff|(?:show|what(?:'s| is)) the differences? between)\s+`+filler+pathWord+`\s*(?:,|and|with|to|vs\.?|versus|against)?\s+`+filler+otherWord),
		on(kindCount, `(?:how many|count)\s+(?:the\s+)?(?:number of\s+)?(?P<text>.+)`),
		on(kindSummarise, `(?:summari[sz]e|sum up|tl;?dr|recap|(?:give|make|write)(?: me)? an? (?:short )?summary(?: of)?)\b:?\s*(?P<text>.*)`),
		on(kindAsk, `(?:ask|quiz)\s+me\b.*|ask\s+(?:a\s+)?question\b.*`),
		on(kindFillGauge, `.*\bfill\b.*\b(?:gauge|meter)\b.*`),
		on(kindFill, `.*\bfill\b.*\b(?:window|context)\b.*`),
		on(kindStory, `(?:.*[^\d.,])?(?P<from>\d[\d.,]*k?)\s*[- ]?(?:words|tokens)\b.*`),
		on(kindStory, `(?:tell|write|stream|give|show|generate|produce|print|send|make)\b.*\b(?:story|stories|essay|article|lecture|markdown|lorem|(?:long|longer)\s+(?:text|answer|reply|document))\b.*`),
		on(kindStory, `(?:a\s+)?(?:very\s+)?long(?:er)?\s+(?:story|text|markdown|answer|reply)\b.*|(?:explain|describe|tell me about|what (?:is|are))\s+(?:a\s+|the\s+)?(?:context windows?|prompt cach\w*|load lines?|compaction|tokens?|plimsoll(?: lines?)?)\b.*`),
		on(kindProject, `(?:what(?:'s|s| is| does)?|describe|explain|explore|analy[sz]e|tell me about|look (?:at|around)|show me|give me|overview|understand|introduce)\b.*\b(?:this|the|my|our|around)?\s*`+project+`(?:\s+(?:do|does|about|contain|is this|here))*`),
		on(kindProject, `what(?:'s|s| is)\s+(?:in\s+)?(?:here|this|there)(?:\s+(?:here|about))?|look around|(?:where am i|what do (?:you see|we have)(?: here)?)|(?:project )?overview`),
		on(kindList, `(?:ls|dir|tree|list)(?:\s+(?:the\s+|all\s+|me\s+)*(?:files?|folders?|directory|director(?:y|ies)|entries|contents?|everything|tree)?\s*(?:and\s+folders?\s*)?(?:(?:in|of|under|inside|at)\s+)?`+filler+`(?:here|project|folder|directory|repo|`+pathWord+`)?)?`),
		on(kindList, `(?:(?:show|give)\s+(?:me\s+)?|what\s+|which\s+)(?:the\s+|all\s+)*(?:files?|folders?|tree)(?:\s+(?:are|is|do we have|exist))?(?:\s+(?:there|here))?(?:\s+(?:in|of|under|inside|at)\s+`+filler+`(?:project|here|folder|directory|repo|`+pathWord+`))?`),
		onPath(kindRead, `(?:read|show|print|head)\s+`+filler+`first\s+(?P<to>\d+)\s+lines\s+(?:of|in|from)\s+`+filler+pathWord),
		onPath(kindRead, `(?:read|show|print|see)\s+lines?\s+(?P<from>\d+)(?:\s*(?:-|–|to|and|through)\s*(?P<to>\d+))?\s+(?:of|in|from)\s+`+filler+pathWord),
		onPath(kindRead, `(?:read|show|open|cat|print|display|view|see|type|head|look at|what(?:'s|s| is) in|what does)\s+`+filler+pathWord+`(?:\s+(?:say|contain|do))?`+lineRange),
		on(kindRead, `(?:read|open|cat|head)\s+`+filler+pathWord+lineRange),
		on(kindGrep, `where(?:'s| is| are)\s+(?:the\s+)?(?:function\s+|type\s+|variable\s+|class\s+|method\s+)?(?P<text>.+?)\s+(?:defined|used|called|declared|mentioned|set)`),
		on(kindGrep, `(?:find|show|list)\s+(?:all\s+|the\s+|me\s+)*(?:text|words?|strings?|references?|usages?|uses|occurrences?|mentions?|lines?)\s+(?:of\s+|to\s+|with\s+|containing\s+)?(?P<text>.+?)(?:\s+(?:in|under|inside)\s+`+filler+pathWord+`)?`),
		on(kindFind, `(?:find|locate|search(?:\s+for)?|look\s+for|which)\s+(?:all\s+|the\s+|me\s+|any\s+)*files?\s+(?:are\s+)?(?:(?:called|named|matching|like|with(?: the)? name)\s+)?(?P<text>\S+)`),
		on(kindFind, `(?:find|locate|list|show)\s+(?:all\s+|the\s+|me\s+|any\s+)*(?P<other>[a-z+#]{1,8})\s+files`),
		on(kindGrep, `(?:grep|rg|search|look|scan)\s+(?:(?:through\s+|in\s+)?(?:the\s+|this\s+|all\s+)?(?:project|code|files|repo)\s+)?(?:for\s+)?(?P<text>.+?)(?:\s+(?:in|under|inside|within)\s+`+filler+pathWord+`)?`),
		on(kindFind, `(?:find|locate|where(?:'s| is| are))\s+`+filler+`(?P<text>.+)`),
	}
})
