package openai

// LimitStream bounds the stream of a reply: the usual bound takes long to reach.
func (c *Client) LimitStream(bytes int) { c.maxStream = bytes }
