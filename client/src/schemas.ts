// The schemas of the three submissions and of their receipts, for programs that check before they send, and for servers
// that take the same forms themselves.
export { applicationInput, applicationReceipt } from "@submissions/shared/application";
export { inquiryInput, inquiryReceipt } from "@submissions/shared/inquiry";
export { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
export { emailKey } from "@submissions/shared/fields";
