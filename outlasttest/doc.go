// Package outlasttest helps to test programs that use Outlast.
//
// [Run] gives a test a client on a store in memory, in virtual time: a day of retries, a
// week of a schedule or the cool-down of an alert takes milliseconds. [Kit.Fail] lets chosen
// attempts fail without a change of the handler, and [Kit.Target] answers the HTTP requests of
// tasks. [Work] runs one attempt and says what would become of its task. [RequireEnqueued],
// [RequireDead] and [RequireStory] look at what is in the store of any client, those on
// databases included.
//
// Only tests should import this package. What fails ends the test by Fatal, so all of it is
// called from the goroutine of the test, unless it says otherwise.
//
// Stability: stable. Names and their meaning stay within a major version.
package outlasttest
