package outlasttest_test

import "testing"

// tests are those of the examples, by what they show.
var tests = map[string]func(*testing.T){}

// The examples are whole tests, which pass.
func TestExamples(t *testing.T) {
	for _, example := range []func(){ExampleRun, ExampleRun_sleep, ExampleRun_await, ExampleKit_After, ExampleKit_Fail, ExampleKit_Target, ExampleWork, ExampleWorkFunc, ExampleRequireEnqueued} {
		example()
	}
	for name, test := range tests {
		t.Run(name, test)
	}
}
